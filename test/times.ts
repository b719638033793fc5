const factor = Number(process.env.RUNS || 1);
if (!(factor > 0)) throw new Error(`RUNS must be a number above 0, not ${process.env.RUNS}`);

/**
 * How many inputs a test generates, or how often it repeats: RUNS in the environment multiplies it, as the nightly run does with its new
 * seed.
 */
export const times = (count: number): number => Math.ceil(count * factor);
