/** Mutants that no test kills, with the reason; everything else that survives is a test that is missing. */
export interface Survivors {
	file: string;
	why: string;
	/** The lines of the code, and what became of them. */
	mutants: Array<[before: string, after: string]>;
}

export const survivors: Survivors[] = [
	{
		file: 'nodes/ChatbotService/client/answer.ts',
		why: 'Whatever the pattern finds has the group.',
		mutants: [
			[
				'const titleOf = (page: unknown) => /<title[^>]*>([^<]*)/i.exec(String(page))?.[1]?.trim() || undefined;',
				'const titleOf = (page: unknown) => /<title[^>]*>([^<]*)/i.exec(String(page))?.[1].trim() || undefined;',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/client/secrets.ts',
		why: 'The pattern of the latest token is kept for speed alone.',
		mutants: [['if (latest?.token === token) return latest.pattern;', 'if (false) return latest.pattern;']],
	},
	{
		file: 'nodes/ChatbotService/client/transport.ts',
		why: 'How many causes are looked at only has to have an end.',
		mutants: [['at && depth < 5;', 'at && depth <= 5;']],
	},
	{
		file: 'nodes/ChatbotService/client/turn.ts',
		why: 'Nothing is less than undefined.',
		mutants: [
			[
				'if (this.wakeAt !== undefined && this.wakeAt <= at) return;',
				'if (true && this.wakeAt <= at) return;',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/resources/kinds.ts',
		why: 'n8n-workflow gives big integers a toJSON of their own, which the lines after this one would find.',
		mutants: [
			[
				"if (typeof value === 'boolean' || typeof value === 'bigint') return { value: String(value) };",
				"if (typeof value === 'boolean' || false) return { value: String(value) };",
			],
			[
				"if (typeof value === 'boolean' || typeof value === 'bigint') return { value: String(value) };",
				'if (typeof value === \'boolean\' || typeof value === "") return { value: String(value) };',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/client/window.ts',
		why: 'The uses that are kept are as many as the limit or more; only that many are ever looked at.',
		mutants: [
			[
				'if (this.uses.length > 2 * count) this.uses = this.uses.slice(-count);',
				'if (this.uses.length >= 2 * count) this.uses = this.uses.slice(-count);',
			],
			[
				'if (this.uses.length > 2 * count) this.uses = this.uses.slice(-count);',
				'if (this.uses.length > 2 * count) this.uses = this.uses.slice(+count);',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/client/window.ts',
		why: 'A share of 1 stays 1 however often it grows, and what counts its growth begins anew with the next refusal.',
		mutants: [
			['this.share < 1 && now - this.changedAt >= quietMs;', 'true && now - this.changedAt >= quietMs;'],
			[
				'this.share < 1 && now - this.changedAt >= quietMs;',
				'this.share <= 1 && now - this.changedAt >= quietMs;',
			],
		],
	},
];
