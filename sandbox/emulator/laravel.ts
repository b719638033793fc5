/** All the behavior of a real Laravel application at once. */

import type { AnswerShapes } from './answers';
import type { Fault } from './faults';
import { LARAVEL_LIMITS, type Limits } from './limits';

interface Behaviour {
	limits: Partial<Limits>;
	faults: Fault[];
	answers: Partial<AnswerShapes>;
}

export const LARAVEL: Readonly<Behaviour> = {
	limits: LARAVEL_LIMITS,
	// A request is counted only after the framework has started, which takes this long on a busy server.
	faults: [{ kind: 'delay', ms: [0, 150] }],
	// Controllers end in `return true`, `return 'ok'` or `return $rows`; documented answers do not change.
	answers: {
		attachTagToContact: 'text 1',
		detachTagFromContact: 'text 1',
		setContactVariable: 'text ok',
		deleteContactVariable: 'text 1',
		sendMessageToWhatsApp: 'text ok',
		addListSchemaField: 'rows',
		deleteListSchemaField: 'text 1',
		deleteListSchema: 'text true',
	},
};
