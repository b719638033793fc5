/** The scanner brings no types; these are the parts that are used here. */
declare module '@n8n/scan-community-package/scanner/scanner.mjs' {
	/** Which files of a package's sources the scanner looks at. */
	export const SOURCE_FILE_PATTERNS: string[];

	/** Applies the scanner's rules to the files of a folder; `details` are what ESLint found. */
	export function analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}
