import { describe, expect, it } from 'vitest';
import { mistakes } from '../../../support/action.ts';
import { API_KEY } from '../../../support/service.ts';

describe('an input that holds the API key', () => {
  it.each([
    ['pipeline', API_KEY],
    ['pipeline', `orders\n${API_KEY}`],
    ['timeout', API_KEY],
    ['job-id', API_KEY],
    ['run-url', `https://app.example.test/{job-id}?key=${API_KEY}`],
    ['base-url', `https://app.example.test/${API_KEY}`],
    ['succeed-on', `completed, ${API_KEY}`],
  ])('%s is refused, since it would be shown, and is not shown by that', (name, value) => {
    const said = mistakes({ [name]: value });
    expect(said).toEqual([
      `Input ${name} contains the API key, which the log would show. Set the key in api-key only.`,
    ]);
    expect(said.join('\n')).not.toContain(API_KEY);
  });

  it('is not one that holds a few characters of a key that is no key', () => {
    expect(mistakes({ 'api-key': 'ak_', pipeline: 'ak_orders' }).join('\n')).not.toContain('contains the API key');
  });
});
