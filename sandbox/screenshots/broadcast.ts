import type { Locator } from 'playwright-core';

import type { Area } from '../editor';
import { addContacts, type Contact } from '../emulator/data';
import { chained, itemsNode, manualTrigger, ourNode, type StoredCredential, until } from '../host';
import type { Frame } from './animation';
import { distractions, type Stage } from './scenes';

/*
 * The animation: a broadcast that is stopped and started again. Everything in it really happens, at the default pace and under the
 * service's limits; only the waits between the frames are left out.
 */

const node = 'Send message';
const people = 300;
const stopAfter = 40;
/** Frames for each of the two runs. */
const steps = 8;
const RUN_TIMEOUT_MS = 300_000;

/** The same size for the node's window and for the canvas. */
const size = { width: 960, height: 500 };
const windowMargin = 24;
const nodeWindow: Area = { x: windowMargin, y: windowMargin, ...size };
/** Beside n8n's sidebar. */
const canvas: Area = { x: 42, y: 0, ...size };

const withoutOnCanvas = [
	'#header :has(button):not(:has([data-test-id="canvas-breadcrumbs"]))',
	'#header [data-test-id="workflow-menu"]',
	'[data-test-id="canvas-controls"]',
	'[data-test-id="logs-panel"]',
	'[class*="nodeButtonsWrapper"]',
	'[data-test-id="canvas-handle-plus-wrapper"]',
];
const withoutInNode = [...distractions, '[data-test-id="ndv-input-panel"] .n8n-segment-control'];

/**
 * @throws Error if not everybody got exactly one message, or if the emulator refused requests because a busy machine delayed
 * them
 */
export async function recordBroadcast(stage: Stage): Promise<Frame[]> {
	const { api, editor, service, credential } = stage;
	const contacts = addContacts(service.data, people, { messenger: 'vk' });
	const ids = new Set(contacts.map(({ id }) => id));
	const deliveries = () => service.deliveries().filter(({ contactId }) => ids.has(contactId));
	const sent = () => deliveries().length;
	const done = () => sent() / people;
	const { id } = await api.createWorkflow(broadcastTo(contacts, credential));

	const frames: Frame[] = [];
	const onCanvas = async (
		caption: string,
		ms: number,
		{ pointer, moving }: { pointer?: Locator; moving?: boolean } = {},
	) => {
		const picture = await editor.screenshot({ part: canvas, without: withoutOnCanvas, moving });
		frames.push({ picture, caption, ms, done: done(), pointer: pointer && (await placeIn(canvas, pointer)) });
	};
	const inNode = async (caption: string, ms: number, ring: Locator) => {
		const picture = await editor.screenshot({ part: nodeWindow, without: withoutInNode });
		frames.push({ picture, caption, ms, done: done(), ring: await placeIn(nodeWindow, ring) });
	};
	/** Takes frames until the given number of people have the message. */
	const whileSending = async (goal: number, captionOf: (count: number) => string) => {
		const first = sent();
		for (let step = 1; step <= steps; step++) {
			const count = Math.round(first + ((goal - first) * step) / steps);
			await until(async () => sent() >= count, { timeoutMs: RUN_TIMEOUT_MS, everyMs: 20 });
			await onCanvas(captionOf(sent()), 250, { moving: true });
		}
	};

	await editor.page.setViewportSize({
		width: size.width + 2 * windowMargin,
		height: size.height + 2 * windowMargin,
	});
	await editor.openWorkflow(id);
	await editor.zoomIn();
	const details = await editor.openNode(node);
	await details.executePrevious();
	await details.widenOutput(120);
	await details.show('sendOncePer');
	await details.output.untilHinted();
	await inNode(
		`A broadcast to ${people} contacts: the node says how long it takes`,
		2600,
		details.output.firstHint,
	);
	await details.close();
	await editor.notification.waitFor({ state: 'hidden' });

	await onCanvas('Start the broadcast', 900, { pointer: editor.executeButton });
	await editor.startWorkflow();
	await whileSending(stopAfter, (count) => `It runs at the pace of the service: ${count} of ${people} sent`);
	await onCanvas('Stop it', 1000, { pointer: editor.stopButton });
	await editor.stopButton.click();
	await editor.untilEnded();
	await editor.notification.waitFor();
	const before = sent();
	await onCanvas(`Stopped: ${before} of ${people} people have the message`, 1800);
	await editor.notification.waitFor({ state: 'hidden' });

	await onCanvas('Start it again', 900, { pointer: editor.executeButton });
	await editor.startWorkflow();
	await whileSending(
		people - 2,
		(count) => `It skips these ${before} and continues: ${count} of ${people} sent`,
	);
	await editor.untilEnded(RUN_TIMEOUT_MS);
	await editor.openNode(node);
	await details.show('sendOncePer');
	await details.output.untilHinted();
	await editor.page.mouse.move(0, 0);
	const reached = new Set(deliveries().map(({ contactId }) => contactId));
	if (sent() !== people || reached.size !== people)
		throw new Error(`${sent()} messages reached ${reached.size} of ${people} people`);
	if (service.requests.some(({ status }) => status === 429))
		throw new Error('The emulator refused requests: take the animation again on a quieter machine');
	await inNode(`${people} people, ${people} messages: nobody got it twice`, 3200, details.output.firstHint);
	return frames;
}

function broadcastTo(contacts: Contact[], credential: StoredCredential) {
	const items = contacts.map(({ id, name }) => ({ id, name: name.split(' ')[0] }));
	const send = {
		name: node,
		parameters: {
			resource: 'message',
			operation: 'send',
			contactId: '={{ $json.id }}',
			contactMessenger: 'vk',
			text: '=Здравствуйте, {{ $json.name }}! У нас скидки!',
			options: { sendOncePer: 'Sale in May' },
		},
	};
	const steps = [manualTrigger, itemsNode(`${people} contacts`, items), ourNode(send, credential)];
	return chained('Broadcast', steps);
}

async function placeIn(area: Area, locator: Locator): Promise<Area> {
	const place = (await locator.boundingBox())!;
	return { ...place, x: place.x - area.x, y: place.y - area.y };
}
