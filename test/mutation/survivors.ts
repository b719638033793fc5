/** Mutants that no test kills, with the reason; everything else that survives is a test that is missing. */
export interface Survivors {
	file: string;
	why: string;
	/** The lines of the code, and what became of them. */
	mutants: Array<[before: string, after: string]>;
}

export const survivors: Survivors[] = [
	{
		file: 'nodes/ChatbotService/request/answer.ts',
		why: 'Whatever the pattern finds has the group.',
		mutants: [
			[
				'const titleOf = (page: unknown) => /<title[^>]*>([^<]*)/i.exec(String(page))?.[1]?.trim() || undefined;',
				'const titleOf = (page: unknown) => /<title[^>]*>([^<]*)/i.exec(String(page))?.[1].trim() || undefined;',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/check.ts',
		why: 'The fields of an operation are collected once for speed alone.',
		mutants: [['if (known) return known;', 'if (false) return known;']],
	},
	{
		file: 'nodes/ChatbotService/request/check.ts',
		why: 'The types allow what no operation has: one without a method, a choice with a routing that sends nothing, and options with a routing outside a collection.',
		mutants: [
			[
				"target: operation.option.routing?.request?.method === 'GET' ? undefined : targetIn(values),",
				"target: operation.option.routing?.request.method === 'GET' ? undefined : targetIn(values),",
			],
			[
				"target: operation.option.routing?.request?.method === 'GET' ? undefined : targetIn(values),",
				"target: operation.option.routing.request?.method === 'GET' ? undefined : targetIn(values),",
			],
			[
				'.filter(({ type, routing }) => choiceTypes.includes(type) && !routing?.send?.property)',
				'.filter(({ type, routing }) => choiceTypes.includes(type) && !routing?.send.property)',
			],
			[
				"return field.type === 'collection' ? collect((field.options ?? []) as INodeProperties[]) : [];",
				'return true ? collect((field.options ?? []) as INodeProperties[]) : [];',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/joinRun.ts',
		why: 'A run of a single item has no gate.',
		mutants: [
			[
				'if (!key) return new Run(1, false, new Map(), signal);',
				'if (!key) return new Run(1, true, new Map(), signal);',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/joinRun.ts',
		why: "Contexts for a part of the engine's job have less than this; those that the engine hands to a node have it all.",
		mutants: [
			[
				'const expected = isToolCall || node.executeOnce ? 1 : (execution.data.main?.[0]?.length ?? 1);',
				'const expected = isToolCall || node.executeOnce ? 1 : (execution.data.main?.[0].length ?? 1);',
			],
			[
				'const expected = isToolCall || node.executeOnce ? 1 : (execution.data.main?.[0]?.length ?? 1);',
				'const expected = isToolCall || node.executeOnce ? 1 : (execution.data.main[0]?.length ?? 1);',
			],
			[
				'context.getExecuteData().node?.id !== context.getNode().id;',
				'context.getExecuteData().node.id !== context.getNode().id;',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'The engine reads the credential and all parameters before; this is for what nobody has thought of.',
		mutants: [
			[
				"} finally { // Whatever happened: the others may wait for this item. void run.end(this.getItemIndex(), 'failed'); }",
				'} finally {}',
			],
			["void run.end(this.getItemIndex(), 'failed');", 'void run.end(this.getItemIndex(), "");'],
		],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'The invalid item has stopped the run before the credential of another one is read; the gate says so nonetheless.',
		mutants: [
			[
				"if (passage === 'othersInvalid' && !context.continueOnFail()) return await notSent(context, run);",
				'if (false) return await notSent(context, run);',
			],
			[
				"if (passage === 'othersInvalid' && !context.continueOnFail()) return await notSent(context, run);",
				'if (passage === "" && !context.continueOnFail()) return await notSent(context, run);',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'It would take minutes to see: all waits of a request together may be five. retry.test.ts holds what the sum is for.',
		mutants: [['waitedMs += wait;', 'waitedMs -= wait;']],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'The pace holds the request back longer than this wait, which is over by then.',
		mutants: [
			["if (failure.repeat !== 'afterLimit') await pause(run, wait);", 'if (true) await pause(run, wait);'],
			[
				"if (failure.repeat !== 'afterLimit') await pause(run, wait);",
				'if (failure.repeat !== "") await pause(run, wait);',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'One more step of no time at all.',
		mutants: [
			[
				'for (let left = milliseconds; left > 0 && !run.stopped; left -= longestStepMs) {',
				'for (let left = milliseconds; left >= 0 && !run.stopped; left -= longestStepMs) {',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'n8n 2.8 drops the answers of all items here; the same tests notice on the other lines of n8n.',
		mutants: [
			['if (!context.continueOnFail()) return [];', 'if (context.continueOnFail()) return [];'],
			['if (!context.continueOnFail()) return [];', 'if (true) return [];'],
			['return [errorItem(context, heldBack())];', 'return [];'],
		],
	},
	{
		file: 'nodes/ChatbotService/request/pipeline.ts',
		why: 'Where the node stops, the error of the other item is all that comes out.',
		mutants: [
			['if (!context.continueOnFail()) return [];', 'if (false) return [];'],
			[
				'if (!context.continueOnFail()) return [];',
				'if (!context.continueOnFail()) return ["Stryker was here"];',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/secrets.ts',
		why: 'The pattern of the latest token is kept for speed alone.',
		mutants: [['if (latest?.token === token) return latest.pattern;', 'if (false) return latest.pattern;']],
	},
	{
		file: 'nodes/ChatbotService/request/transport.ts',
		why: 'How many causes are looked at only has to have an end.',
		mutants: [['at && depth < 5;', 'at && depth <= 5;']],
	},
	{
		file: 'nodes/ChatbotService/request/turn.ts',
		why: 'Nothing is less than undefined.',
		mutants: [
			[
				'if (this.wakeAt !== undefined && this.wakeAt <= at) return;',
				'if (true && this.wakeAt <= at) return;',
			],
		],
	},
	{
		file: 'nodes/ChatbotService/request/kinds.ts',
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
		file: 'nodes/ChatbotService/request/window.ts',
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
		file: 'nodes/ChatbotService/request/window.ts',
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
