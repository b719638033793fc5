/** What other processes can read and set, under /sandbox. README.md has the list. */

import type { FastifyInstance } from 'fastify';

import type { Dialect } from './dialect';
import type { Context } from './exchange';
import type { Fault } from './faults';
import type { Limits } from './limits';
import { parseJson } from './recording';
import { dialectOfService } from './services';

export function addControl(app: FastifyInstance, context: Context, reset: () => void): void {
	const { data, service, dialect, faults, limits, recording } = context;
	// By default, curl sends JSON with the content type of a form.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
		done(null, parseJson(String(body))),
	);

	app.get('/requests', async () => ({ inFlight: recording.inFlight, requests: recording.requests }));
	app.get('/deliveries', async () => data.deliveries);
	app.get('/violations', async () => recording.violations);

	app.post<{ Body: Fault | Fault[] }>('/faults', async ({ body }) => {
		const list = [body].flat();
		if (list.length === 0) faults.clear();
		for (const each of list) faults.add(each);
		return { added: list.length };
	});
	app.post<{ Body: Partial<Limits> | false }>('/limits', async ({ body }) => {
		limits.set(body);
		return { limits: body };
	});
	app.post<{ Body: Partial<Dialect> }>('/dialect', async ({ body }) => ({
		dialect: Object.assign(dialect, dialectOfService(service, body)),
	}));
	app.post('/reset', async () => {
		reset();
		return { reset: true };
	});
}
