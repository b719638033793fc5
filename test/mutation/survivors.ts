/** Mutants that no test kills, with the reason; everything else that survives is a test that is missing. */
export interface Survivors {
	file: string;
	why: string;
	/** The lines of the code, and what became of them. */
	mutants: Array<[before: string, after: string]>;
}

export const survivors: Survivors[] = [];
