/**
 * How long an operation may take. Because the machine may run other tests too, the limit is ten times the target;
 * with E2E_EXACT=1, it is the target.
 */
export const allowed = (aimMs: number): number => (process.env.E2E_EXACT ? aimMs : aimMs * 10);
