// Fails with one sentence if this version of Node cannot run the project's TypeScript files. This file is JavaScript,
// because npm scripts can start it with Node 20. They call it themselves, because with ignore-scripts=true npm runs
// neither `pretest` nor the install script that provides the right version of Node.
if (!process.features.typescript) {
  const cause = 'npm did not run the install script of the "node" package, as with ignore-scripts=true';
  const remedy = 'run "npm rebuild node --ignore-scripts=false" or install Node 24 yourself';
  process.stderr.write(`This command needs Node 24, but found ${process.version} because ${cause}; ${remedy}.\n`);
  process.exit(1);
}
