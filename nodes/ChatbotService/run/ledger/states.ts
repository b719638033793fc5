/** The states that may follow each state. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

/** @throws an error that names both states if the second one must not follow the first one */
export function assertTransition<State extends string>(
	transitions: Transitions<State>,
	from: State,
	to: State,
) {
	if (!transitions[from].includes(to)) throw new Error(`A claim that is "${from}" cannot become "${to}"`);
}
