import { accountLimits } from '../../nodes/ChatbotService/client/credential/account';
import { useVirtualTime } from '../virtualTime';
import { broadcast } from './broadcast';

/*
 * What the pace does, minute by minute: the real scheduler and a simulated service, in virtual time. The credential says 2 requests per
 * second. The service allows that, then half of it, then all again, and tells it only by refusing requests.
 */

useVirtualTime();

/** How many requests the service allows in each of these minutes, accepts at least, and refuses at most. */
const story = [
	// As many leave as are allowed.
	{ minutes: [0, 1], allows: 120, accepts: 119, refuses: 0 },
	// Two or three refusals slow the pace down.
	{ minutes: [2], allows: 60, accepts: 54, refuses: 3 },
	// At most once a minute, it tries whether more is allowed.
	{ minutes: [3, 4, 5, 6, 7, 8, 9], allows: 60, accepts: 54, refuses: 1 },
	// When more is allowed again, it recovers within two minutes.
	{ minutes: [10, 11], allows: 120, accepts: 60, refuses: 0 },
	// Again, as many leave as are allowed.
	{ minutes: [12, 13, 14], allows: 120, accepts: 119, refuses: 0 },
];

const allowing = (perMinute: number) => ({
	account: { requests: perMinute / 60, windowMs: 1000 },
	headers: 'none' as const,
});

test('The pace uses what the service allows, follows it down with few refusals, and up again', async () => {
	const { service, givenUp } = await broadcast({
		limits: accountLimits(2),
		...{ workers: 1, bursts: false, processes: [{ requests: [{ count: 1500 }] }] },
		service: {
			limits: allowing(120),
			later: [
				{ fromMs: 2 * 60_000, limits: allowing(60) },
				{ fromMs: 10 * 60_000, limits: allowing(120) },
			],
		},
	});
	const happened = story.flatMap(({ minutes, ...told }) =>
		minutes.map((minute) => {
			const came = service.arrivals.filter(({ at }) => Math.floor(at / 60_000) === minute);
			const accepted = came.filter(({ isAccepted }) => isAccepted).length;
			return { minute, accepted, refused: came.length - accepted, told };
		}),
	);
	const otherwise = happened.filter(
		({ accepted, refused, told }) => accepted < told.accepts || refused > told.refuses,
	);
	expect(otherwise).toEqual([]);
	expect(givenUp).toBe(0);
});
