import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/run/resolve.ts';

/** What is suggested where every candidate has one spelling. */
const among = (given: string, ...names: readonly string[]): string[] =>
  nearest(
    given,
    names.map((name) => [name]),
  );

describe('what is suggested for a name', () => {
  it('is the nearest first, and three at most', () => {
    expect(among('orders', 'ordersxx', 'ordres_', 'orders', 'ordrs', 'order')).toEqual(['orders', 'ordersxx', 'ordrs']);
  });

  it('is each candidate once, by the spelling that is nearest', () => {
    expect(nearest('orders', [['sales', 'ordrs'], ['Orders', 'orderss'], []])).toEqual(['Orders', 'ordrs']);
  });

  it.each([
    ['orders', 'odrers'],
    ['eu', 'euro'],
    ['customers_eu', 'kustomerz_uu'],
  ])('may be two letters off, or a third of its letters: %s, %s', (given, name) => {
    expect(among(given, name)).toEqual([name]);
  });

  it.each([
    ['orders', 'adrars_'],
    ['customers_eu', 'kuztomarz_uu'],
    ['qq', 'Customers daily'],
    ['_', 'Customers daily'],
  ])('is nothing that is further off: %s, %s', (given, name) => {
    expect(among(given, name)).toEqual([]);
  });
});

describe('a name in another', () => {
  it.each([
    ['dev', 'orders_dev_daily'],
    ['dev_orders_of_all_shops', 'dev'],
  ])('is near, however long the other is: %s, %s', (given, name) => {
    expect(among(given, name)).toEqual([name]);
  });

  it.each([
    ['eu', 'orders_of_all_shops_in_the_eu'],
    ['orders_of_all_shops_in_the_eu', 'eu'],
  ])('of one or two letters says nothing: %s, %s', (given, name) => {
    expect(among(given, name)).toEqual([]);
  });

  it('is further off than the name itself', () => {
    expect(among('orders', 'orders_eu', 'Orders')).toEqual(['Orders', 'orders_eu']);
  });
});

describe('how a name is written', () => {
  it('counts for nothing: upper case, spaces, hyphens, underscores, and how many there are', () => {
    expect(among('eu -- us', 'EU_US')).toEqual(['EU_US']);
    expect(among('_ab_', 'abc', 'ab')).toEqual(['ab', 'abc']);
  });

  it('but a gap is a gap', () => {
    expect(among('a_bc', 'abc', 'a bc')).toEqual(['a bc', 'abc']);
  });

  it('counts up to its hundredth letter, so that no name is too long to look at', () => {
    const begins = 'x'.repeat(100);
    expect(among(`${begins}${'y'.repeat(200)}`, `${begins}${'z'.repeat(200)}`)).toHaveLength(1);
  });
});

describe('the effort of finding it', () => {
  it('is bounded for all names together', () => {
    const budget = { pairs: 200 };
    expect(nearest('orders', [['ordres']], budget)).toEqual(['ordres']);
    expect(nearest('orders', [['x'.repeat(100)], ['ordres']], budget)).toEqual([]);
    expect(nearest('orders', [['ordres']], budget)).toEqual([]);
  });

  it('is not made once the budget is spent, however many names there are', () => {
    let visited = 0;
    const candidate = (): readonly string[] => {
      visited += 1;
      return ['ordres'];
    };
    const many = {
      length: 50_000,
      *[Symbol.iterator]() {
        for (;;) yield candidate();
      },
    };
    expect(nearest('orders', many as unknown as readonly (readonly string[])[], { pairs: 200 })).toHaveLength(3);
    expect(visited).toBeLessThan(10);
  });
});
