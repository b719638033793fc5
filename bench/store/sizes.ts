/** The numbers of recipients stored for which n8n's store is measured. */
export const storeSizes = [1_000, 10_000, 50_000, 100_000];
