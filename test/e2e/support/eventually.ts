import { until } from '../../../sandbox/host';

/** Repeats assertions until they hold; after a minute they fail. */
export async function eventually(assertions: () => Promise<void>): Promise<void> {
	let failure: unknown;
	const hold = async () => {
		failure = await assertions().catch((error: unknown) => error);
		return failure === undefined;
	};
	await until(hold).catch(() => Promise.reject(failure));
}
