import type { IDataObject } from 'n8n-workflow';

import { valueAt, type Source } from '../../nodes/ChatbotService/run/values/expressions';

/**
 * The parts of n8n that values are read from, with a record of the calls. Its expressions are JavaScript with `$json`; the tests in
 * test/engine use n8n's own evaluation.
 */
export class FakeN8n implements Source {
	/** The parameters and expressions that were evaluated, as `parameter@item`. */
	readonly asked: string[] = [];

	constructor(
		readonly raw: Record<string, unknown>,
		private readonly items: unknown[],
	) {}

	parameter = (path: string, item: number): unknown => {
		this.asked.push(`${path}@${item}`);
		return this.valueOf(path, item);
	};

	evaluated = (template: string, item: number): unknown => {
		this.asked.push(`${template}@${item}`);
		return render(template, this.items[item]);
	};

	input = (item: number) => this.items[item] as IDataObject;

	json = this.input;

	/** The value of the parameter at a path, without a record of the call. @throws what the expression throws */
	valueOf(path: string, item: number): unknown {
		return resolve(valueAt(this.raw, path), this.items[item]);
	}
}

function resolve(raw: unknown, $json: unknown): unknown {
	if (typeof raw === 'string') return raw.startsWith('=') ? render(raw.slice(1), $json) : raw;
	if (Array.isArray(raw)) return raw.map((each) => resolve(each, $json));
	if (typeof raw !== 'object' || raw === null) return raw;
	return Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, resolve(each, $json)]));
}

function render(template: string, $json: unknown): unknown {
	const pieces = template.split(/\{\{([\s\S]*?)\}\}/);
	const values = pieces.map((piece, index) => (index % 2 ? run(piece, $json) : piece));
	if (values.length === 3 && pieces[0] === '' && pieces[2] === '') return values[1];
	return values.map((value) => (value === undefined || value === null ? '' : String(value))).join('');
}

/** Evaluated without added parentheses, so that a missing one is detected. */
const run = new Function('code', '$json', 'return eval(code)') as (code: string, $json: unknown) => unknown;
