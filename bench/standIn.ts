/** The process of one stand-in service. It reads its own books: those of many messages are too large to be sent about. */

import { addContacts, startService, type Service } from '../sandbox/service';
import { readLedger } from './figures';
import type { FromStandIn, Opening, ToStandIn } from './job';

const answer = (message: FromStandIn) => process.send!(message);

function open(service: Service, { contacts, limits, faults = [] }: Opening): number[] {
	service.reset();
	service.setLimits(limits ?? false);
	for (const fault of faults) service.faults.add(fault);
	// No limit of a messenger applies to VK, so that the account's is the one that counts.
	return addContacts(service.data, contacts, { messenger: 'vk' }).map(({ id }) => id);
}

void startService().then((service) => {
	process.on('message', (message: ToStandIn) => {
		if ('open' in message) {
			answer({ contactIds: open(service, message.open) });
		} else {
			const { batch, work } = message.read;
			answer({ ledger: readLedger(service.requests, batch, work) });
		}
	});
	const { url, token } = service;
	answer({ started: { url, token } });
});
process.on('disconnect', () => process.exit());
