import { VirtualClock } from '../../bench/simulation/clock';

/*
 * Virtual time for whole runs of the node, which wait only with n8n's `sleep`. A test file that imports this replaces it:
 *
 *     jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());
 */

export const clock = new VirtualClock();

export const n8nWorkflow = () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (milliseconds: number) => await clock.sleep(milliseconds),
});

beforeEach(() => {
	jest.spyOn(performance, 'now').mockImplementation(() => clock.now());
	jest.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 1, active: 0, utilization: 0 });
});
afterEach(() => jest.restoreAllMocks());

/** The value of a promise, for which time passes. */
export async function inTime<T>(promise: Promise<T>): Promise<T> {
	let isPending = true;
	const settled = () => (isPending = false);
	promise.then(settled, settled);
	while (isPending) await clock.run();
	return await promise;
}
