import { byTitle as named, travelling, variants, type Variant } from '../operations';
import type { EditorState, Place } from '../operations/operation';

/* The node as a person sees it: what the editor shows, requires and sends for each set of choices. */

export interface State extends EditorState {
	/** The operation and the choices. */
	title: string;
	resource: string;
	operation: string;
	/** The place and the API name of each parameter that is sent. */
	sent: Record<string, [Place, string]>;
	/** The visible notice. */
	notice: string | undefined;
}

export const states: State[] = variants.flatMap((variant) =>
	statesOf(variant).map((state) => {
		const { title, resource, operation, place } = variant.of;
		const chosen = Object.entries(state.choices).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
		const sent = travelling(variant)
			.filter(({ name }) => state.shown.includes(parameterOf(name)))
			.map(({ name, wire }) => [name, [place, wire]]);
		return {
			...state,
			title: [title, ...chosen].join(', '),
			resource,
			operation,
			sent: Object.fromEntries(sent) as State['sent'],
			notice: variant.notice,
		};
	}),
);

export const byTitle = named(states);

/** What follows from the fields; 'Limit' is visible only when 'Return All' is off. */
function statesOf({ fields, states }: Variant): EditorState[] {
	if (states) return states;
	const choices = Object.fromEntries(
		fields.filter(({ decides }) => decides).map(({ name, value }) => [name, value]),
	) as EditorState['choices'];
	const state: EditorState = {
		choices,
		shown: [...new Set(fields.map(({ name }) => parameterOf(name)))],
		required: fields
			.filter(({ required, flagged = required }) => flagged)
			.map(({ name }) => parameterOf(name)),
	};
	if (!('returnAll' in choices)) return [state];
	const shown = state.shown.filter((name) => name !== 'limit');
	return [state, { ...state, choices: { ...choices, returnAll: true }, shown }];
}

/** The parameter that is the field or contains it. */
function parameterOf(path: string): string {
	return path.split('.')[0]!;
}
