// Loaded before the main bundle (`node --import`). Makes the process meet the fault in the variable FAULT.
import { subscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { FAULT, FIFO } = process.env;

/** Calls a function once a trigger has been sent. */
function onTrigger(act) {
  subscribe('http.client.request.start', ({ request }) => {
    if (request.path.includes('/rpc/')) request.once('finish', () => setImmediate(act));
  });
}

const fail = () => {
  throw new Error('a bug');
};

/** Makes lookups occupy the threads of the pool forever, as if all name servers were dead. */
function hangLookups() {
  dns.lookup = (host) => {
    process.stderr.write(`lookup of ${host} hangs\n`);
    for (let thread = 0; thread < 4; thread += 1) fs.open(FIFO, 'r', () => undefined);
  };
  syncBuiltinESMExports();
}

const FAULTS = {
  'an uncaught exception': () => onTrigger(fail),
  'an unhandled rejection': () => onTrigger(() => void Promise.reject(new Error('a bug'))),
  'lookups that hang': hangLookups,
  'lookups that hang after SIGINT': () => process.on('SIGINT', hangLookups),
  'Node.js 16.20.2': () => {
    const versions = { ...process.versions, node: '16.20.2' };
    Object.defineProperty(process, 'versions', { value: versions });
    Object.defineProperty(process, 'version', { value: 'v16.20.2' });
  },
};

const entry = FAULT === 'Node.js 16.20.2' ? /dist[\\/]\w+\.js$/ : /dist[\\/]main\.js$/;
if (entry.test(process.argv[1] ?? '')) FAULTS[FAULT]();
