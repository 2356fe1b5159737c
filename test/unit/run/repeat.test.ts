// The pauses between repeated requests, and what the log says about them.
import { expect, it } from 'vitest';
import { inTurn } from '../../../sandbox/faults.ts';
import { pauseAfter } from '../../../src/run/repeat.ts';
import { playMain, shownBy } from '../../support/steps.ts';

it.each([
  [0, 0, {}, 250],
  [1, 0, {}, 1_250],
  [0.5, 1, {}, 1_250],
  [1, 3, {}, 8_250],
  [0, 0, { retryAfterMs: 40_000 }, 40_000],
  [1, 3, { retryAfterMs: 10 }, 8_250],
  [0, 0, { retryAfterMs: undefined }, 250],
])(
  'with the random number %d, the retry count %i and the response %j, the pause is %i ms',
  (random, tried, outcome, ms) => {
    expect(pauseAfter(() => random, tried, outcome)).toBe(ms);
  },
);

it('the log says why and when a request is retried, and the error reports the last failure', async () => {
  const main = await playMain({ faults: inTurn('list', ['http_429', 'http_429'], 'http_403') });
  expect(main.log.filter((line) => line.includes('Retrying'))).toEqual([
    'Could not list the pipelines: HTTP 429 "slow down". Retrying in 750ms.',
    'Could not list the pipelines: HTTP 429 "slow down". Retrying in 1s.',
  ]);
  expect(shownBy(main)).toMatch(/^error .*Could not list the pipelines: HTTP 403 "not yours"/);
});
