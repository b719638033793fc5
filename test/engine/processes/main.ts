// With the file extension: without it, tsx loads the .json file with the same name.
import { ChatbotService } from '../../../nodes/ChatbotService/ChatbotService.node.js';
import { loadAsN8n } from '../n8n';
import { run, type Broadcast, type Report } from './broadcast';

/* A process like n8n's worker: runs broadcasts on request, with a store that it shares with other processes. */

/** To a process. */
export interface Order {
	id: number;
	broadcast: Broadcast;
}

/** From a process: first that it has loaded, then the results of its runs, in any order. */
export type Answer = { ready: true } | { id: number; report: Report };

const chatbotService = loadAsN8n(new ChatbotService());

const say = (answer: Answer) => process.send!(answer);

process.on('message', async ({ id, broadcast }: Order) =>
	say({ id, report: await run(chatbotService, broadcast) }),
);
// The process that has started this one has ended; n8n-core's timers would keep this one alive.
process.on('disconnect', () => process.exit());
say({ ready: true });
