/**
 * How many inputs a test generates, or how often it repeats: RUNS in the environment multiplies it, as the nightly run does with its new
 * seed.
 */
export const times = (count: number): number => Math.ceil(count * Number(process.env.RUNS ?? 1));
