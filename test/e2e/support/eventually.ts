import { until } from '../../../sandbox/host';

/** Repeats assertions about something that changes until they hold; after a minute they fail as they stand. */
export async function eventually(assertions: () => Promise<void>): Promise<void> {
	let failure: unknown;
	const hold = async () => {
		failure = await assertions().catch((error: unknown) => error);
		return failure === undefined;
	};
	await until(hold).catch(() => Promise.reject(failure));
}
