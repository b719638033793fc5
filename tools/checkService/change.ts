import type { IDataObject } from 'n8n-workflow';

import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { call, Unanswered, type How, type Observation } from './call';
import type { Session } from './session';
import type { Undo } from './undo';

/* Calls that change something, and the readings between them. Each request leaves once, so that nothing is done twice. */

export class Writer {
	constructor(
		readonly session: Session,
		readonly undo: Undo,
	) {}

	/** @param values by wire name */
	async change(title: string, operation: Operation, values: IDataObject): Promise<Observation> {
		return answered(
			await this.session.record(
				title,
				async (usual) => await call(title, operation, values, { ...usual, once: true }),
			),
		);
	}

	async read(title: string, operation: Operation, values: IDataObject, how: Partial<How> = {}) {
		return answered(await this.session.observe(title, operation, values, { once: true, ...how }));
	}
}

/** From 502 on, the answer is that of a web server. */
function answered(observation: Observation): Observation {
	const { failure, status } = observation;
	if (failure && (status === 0 || status >= 502)) throw new Unanswered(failure);
	return observation;
}
