import { byTitle as named, travelling, variants, type Variant } from '../operations';
import type { EditorState, Place } from '../operations/operation';

/* The node as a person sees it: what the editor shows, requires and sends, by what is chosen. */

export interface State extends EditorState {
	/** The operation and the choices. */
	title: string;
	resource: string;
	operation: string;
	/** Where each parameter travels and under which name of the interface; the others do not travel. */
	sent: Record<string, [Place, string]>;
	/** The notice on display. */
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

/** What follows from the fields; 'Limit' is there only where not all are wanted. */
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

/** The parameter that a field is or is within. */
function parameterOf(path: string): string {
	return path.split('.')[0]!;
}
