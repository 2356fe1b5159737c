/** GitHub's runners bring a Node of their own; act, Gitea and others use the one on the PATH. */
const OLDEST = { major: 20, minor: 16 };

/** What is wrong with the Node that runs this; undefined if it is new enough. */
export function nodeTooOld(version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `This action needs Node.js ${OLDEST.major}.${OLDEST.minor} or newer, but the runner started it with Node.js ${version}.`;
}
