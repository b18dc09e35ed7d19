import { expect, it } from 'vitest';
import { DrainWaiters } from './drain-waiters';

it('who waits for the screen goes when it shows what had come by then, in order, and everybody at the end', async () => {
  const waiters = new DrainWaiters();
  const gone: number[] = [];
  for (const offset of [10, 20, 20, 30]) void waiters.wait(offset).then(() => gone.push(offset));
  const after = async (offset: number): Promise<number[]> => {
    waiters.reached(offset);
    await Promise.resolve();
    return gone;
  };
  expect(await after(9)).toEqual([]);
  expect(await after(10)).toEqual([10]);
  expect(await after(25)).toEqual([10, 20, 20]);
  expect(await after(Number.POSITIVE_INFINITY)).toEqual([10, 20, 20, 30]);
});
