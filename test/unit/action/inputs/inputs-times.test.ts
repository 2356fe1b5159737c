import { describe, expect, it } from 'vitest';
import { mistakes, settings } from '../../../support/action.ts';

const LIMITS = ['timeout', 'queue-timeout'] as const;
const ALL = [...LIMITS, 'max-outage', 'poll-interval'] as const;

describe('an input that is a time', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2D', 172_800_000],
    ['24d', 2_073_600_000],
    ['31000ms', 31_000],
  ])('may be %s', (text, ms) => {
    const { plan } = settings(Object.fromEntries(ALL.map((name) => [name, text])));
    expect([plan.timeoutMs, plan.queueTimeoutMs, plan.maxOutageMs, plan.pollIntervalMs]).toEqual([ms, ms, ms, ms]);
  });

  it.each(['45', '1.5', '0', '007'])('needs a unit: %s is refused', (text) => {
    for (const name of ALL) {
      expect(mistakes({ [name]: text })).toEqual([
        `Input ${name} is "${text}", without a unit. Write ${text}s, ${text}m or ${text}h.`,
      ]);
    }
  });

  it.each(['soon', '-5m', '5 m', 'm', '5min', '1h30', '1,5h', '١٥m', '1e3s', 'Infinity', '5m!', `${'9'.repeat(400)}h`])(
    'must be one: %s is refused',
    (text) => {
      const shown = text.length > 200 ? `${text.slice(0, 199)}…` : text;
      for (const name of ALL) {
        expect(mistakes({ [name]: text })).toEqual([
          `Input ${name} is "${shown}". Write a duration such as 90s, 15m or 1h30m.`,
        ]);
      }
    },
  );

  it.each(['0s', '0h0m', '0.0001ms'])('must be longer than none: %s is refused', (text) => {
    for (const name of LIMITS) {
      expect(mistakes({ [name]: text })).toEqual([
        `Input ${name} is "${text}", which is zero. Write a duration such as 45m, or leave it out for no limit.`,
      ]);
    }
    expect(mistakes({ 'max-outage': text })).toEqual([
      `Input max-outage is "${text}", which is zero. Write a duration such as 15m.`,
    ]);
    expect(mistakes({ 'poll-interval': text })).toEqual([
      `Input poll-interval is "${text}", which is zero. Write a duration such as 30s.`,
    ]);
  });

  it.each(['24d1ms', '1000h', '99999999999d'])('must be one that can be counted: %s is refused', (text) => {
    for (const name of LIMITS) {
      expect(mistakes({ [name]: text })).toEqual([
        `Input ${name} is "${text}", which is more than 24d. Write a duration such as 45m, or leave it out for no limit.`,
      ]);
    }
    expect(mistakes({ 'max-outage': text })).toEqual([
      `Input max-outage is "${text}", which is more than 24d. Write a duration such as 15m.`,
    ]);
  });
});

describe('the input poll-interval', () => {
  it.each(['29s', '1ms', '29999ms'])('may not be %s where the service is real', (text) => {
    expect(mistakes({ 'poll-interval': text })).toEqual([
      `Input poll-interval is "${text}", but the service allows no more than one read in 30s. Write 30s or more.`,
    ]);
  });

  it.each([
    ['30s', 30_000],
    ['2m', 120_000],
  ])('may be %s', (text, ms) => {
    expect(settings({ 'poll-interval': text }).plan.pollIntervalMs).toBe(ms);
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://localhost:8443'])(
    'may be short where the service is a sandbox at %s',
    (url) => {
      expect(settings({ 'base-url': url, 'poll-interval': '100ms' }).plan.pollIntervalMs).toBe(100);
    },
  );
});
