import sharp from 'sharp';

import { chained, manualTrigger, ourNode, until } from '../../../sandbox/host';
import { addContacts } from '../../../sandbox/emulator';
import { distractions, type Language, type Stage } from './scene';

/*
 * The animation: a broadcast that is stopped and started again. Everything in it really happens, at the default pace and under the
 * service's limits; only the waits between the frames are left out.
 */

const people = 300;
const stopAfter = 40;
/** Frames for each of the two runs. */
const steps = 8;
const RUN_TIMEOUT_MS = 300_000;

const words = {
	en: {
		workflow: 'Broadcast',
		contacts: 'Get many contacts',
		send: 'Send message',
		open: `A broadcast to ${people} VK contacts: the node says how long it takes`,
		start: 'Start the broadcast',
		runs: (count: number) => `It runs at the pace of the service: ${count} of ${people} sent`,
		stop: 'Stop it',
		stopped: (count: number) => `Stopped: ${count} of ${people} people have the message`,
		again: 'Start it again',
		continues: (before: number, count: number) =>
			`It skips these ${before} and continues: ${count} of ${people} sent`,
		done: `${people} people, ${people} messages: no one got it twice`,
	},
	ru: {
		workflow: 'Рассылка',
		contacts: 'Контакты',
		send: 'Отправить сообщение',
		open: `Рассылка на ${people} контактов VK: узел показывает, сколько она займёт`,
		start: 'Запустите рассылку',
		runs: (count: number) => `Она идёт в темпе сервиса: отправлено ${count} из ${people}`,
		stop: 'Остановите её',
		stopped: (count: number) => `Остановлена: сообщение получили ${count} из ${people}`,
		again: 'Запустите снова',
		continues: (before: number, count: number) =>
			`Этих ${before} узел пропускает и продолжает: отправлено ${count} из ${people}`,
		done: `${people} человек, ${people} сообщений: никто не получил его дважды`,
	},
};

const windowSize = { width: 1008, height: 548 };
/** The same size for the node's window and for the canvas beside n8n's sidebar, each with its caption below. */
const nodeWindow = { x: 24, y: 24, width: 960, height: 524 };
const canvas = { x: 42, y: 24, width: 960, height: 524 };

const hidden = [
	...distractions,
	'[data-test-id="ndv-input-panel"] .n8n-segment-control',
	'#header :has(button):not(:has([data-test-id="canvas-breadcrumbs"]))',
	'#header [data-test-id="workflow-menu"]',
	'[data-test-id="canvas-controls"]',
	'[data-test-id="logs-panel"]',
	'[class*="nodeButtonsWrapper"]',
	'[data-test-id="canvas-handle-plus-wrapper"]',
].join();

const hint = '[data-test-id="output-panel"] [data-test-id="node-hint"]';

/**
 * @throws Error if not everyone got exactly one message, or if the emulator refused requests because a busy machine delayed
 * them
 */
export async function recordBroadcast(stage: Stage, file: string, language: Language): Promise<void> {
	const { api, editor, service, credential } = stage;
	const { page } = editor;
	const said = words[language];
	service.reset();
	const bot = { id: 104, name: 'Языковой клуб', tags: [] };
	service.data.bots.set(bot.id, bot);
	const contacts = addContacts(service.data, people, { botId: bot.id, messenger: 'vk' });
	const ids = new Set(contacts.map(({ id }) => id));
	const deliveries = () => service.deliveries().filter(({ contactId }) => ids.has(contactId));
	const sent = () => deliveries().length;
	const getMany = {
		name: said.contacts,
		parameters: { resource: 'contact', operation: 'getAll', botId: String(bot.id), returnAll: true },
	};
	const send = {
		name: said.send,
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: '={{ $json.id }}',
			text: '=Здравствуйте, {{ $json.name }}! У нас скидки!',
			options: { sendOncePer: 'Майская распродажа' },
		},
	};
	const { id } = await api.createWorkflow(
		chained(said.workflow, [manualTrigger, ourNode(getMany, credential), ourNode(send, credential)]),
	);

	const frames: Array<{ picture: Buffer; ms: number }> = [];
	/** @param ringed the selector of what to look at */
	const frame = async (part: typeof canvas, caption: string, ms: number, ringed = 'none') => {
		const picture = await page.screenshot({
			clip: part,
			style: `
				${hidden} { visibility: hidden !important; }
				#header > * { transform: translateY(12px); } /* in the middle of what is left of it */
				${ringed} { outline: 4px solid #2f6fed !important; outline-offset: -2px; border-radius: 6px; }
				body::after {
					content: ${JSON.stringify(caption)}; position: fixed; z-index: 99999; inset: auto 0 0; height: 48px;
					border-top: 6px solid; border-image: linear-gradient(to right, #4f8cff ${(100 * sent()) / people}%, #1c2333 0) 1;
					background: #1c2333; color: #fff; font: 21px/44px Inter, sans-serif; text-align: center;
				}`,
		});
		frames.push({ picture, ms });
	};
	/** Takes frames until the given number of people have the message. */
	const whileSending = async (goal: number, captionOf: (count: number) => string) => {
		const first = sent();
		for (let step = 1; step <= steps; step++) {
			const count = Math.round(first + ((goal - first) * step) / steps);
			await until(() => sent() >= count, { timeoutMs: RUN_TIMEOUT_MS, everyMs: 20 });
			await frame(canvas, captionOf(sent()), 250);
		}
	};
	const { details } = editor;
	const showNode = async (caption: string, ms: number) => {
		await details.show('sendOncePer');
		await details.output.untilHinted();
		await page.mouse.move(0, 0);
		await frame(nodeWindow, caption, ms, hint);
	};
	const start = '[data-test-id="execute-workflow-button"]';

	await page.setViewportSize(windowSize);
	await editor.openWorkflow(id);
	await page.getByTestId('zoom-in-button').click();
	await editor.openNode(said.contacts);
	await details.execute();
	await details.close();
	await editor.openNode(said.send);
	await showNode(said.open, 2600);
	await details.close();

	await frame(canvas, said.start, 900, start);
	await editor.startWorkflow();
	await whileSending(stopAfter, said.runs);
	await frame(canvas, said.stop, 1000, '[data-test-id="stop-execution-button"]');
	await editor.stopButton.click();
	await editor.untilEnded();
	// What was in flight has its answer.
	await page.waitForTimeout(2_000);
	const before = sent();
	await frame(canvas, said.stopped(before), 1800);

	await frame(canvas, said.again, 900, start);
	await editor.startWorkflow();
	await whileSending(people - 2, (count) => said.continues(before, count));
	await editor.untilEnded(RUN_TIMEOUT_MS);
	await editor.openNode(said.send);
	const reached = new Set(deliveries().map(({ contactId }) => contactId));
	if (sent() !== people || reached.size !== people)
		throw new Error(`${sent()} messages reached ${reached.size} of ${people} people`);
	if (service.requests.some(({ status }) => status === 429))
		throw new Error('The emulator refused requests: take the animation again on a quieter machine');
	await showNode(said.done, 3200);

	await sharp(
		frames.map(({ picture }) => picture),
		{ join: { animated: true } },
	)
		.gif({ delay: frames.map(({ ms }) => ms), loop: 0, colours: 128, dither: 0, effort: 10 })
		.toFile(file);
}
