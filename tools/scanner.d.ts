/** The scanner has no type declarations; these are the parts that are used here. */
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	/** The files of a package's sources that the scanner checks. */
	export const SOURCE_FILE_PATTERNS: string[];

	/** Applies the scanner's rules to the files of a folder; `details` is the output of ESLint. */
	export function analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}
