/**
 * How long something may take. A machine that runs other tests too is allowed ten times what is aimed at;
 * E2E_EXACT=1 allows nothing more than that.
 */
export const allowed = (aimMs: number): number => (process.env.E2E_EXACT ? aimMs : aimMs * 10);
