import { readFile } from 'node:fs/promises';

/** A profile as the inspector writes it. */
interface Profile {
	nodes: Array<{ id: number; callFrame: { functionName: string; url: string }; children?: number[] }>;
	samples: number[];
	/** Microseconds since the sample before. */
	timeDeltas: number[];
}

const shown = 25;

/** Which functions took the time, by themselves and with what they called. */
export async function summarize(title: string, file: string): Promise<string> {
	const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, 'utf8')) as Profile;
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(
		nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
	);
	const alone = new Map<string, number>();
	const together = new Map<string, number>();
	const add = (to: Map<string, number>, name: string, time: number) =>
		to.set(name, (to.get(name) ?? 0) + time);
	let total = 0;
	samples.forEach((sample, index) => {
		const time = timeDeltas[index]!;
		total += time;
		add(alone, nameOf(byId.get(sample)!), time);
		const callers = new Set<string>();
		for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
			callers.add(nameOf(byId.get(id)!));
		}
		for (const caller of callers) add(together, caller, time);
	});
	const list = (times: Map<string, number>) =>
		[...times]
			.sort(([, a], [, b]) => b - a)
			.slice(0, shown)
			.map(([name, time]) => `${((100 * time) / total).toFixed(1).padStart(6)} %  ${name}`);
	return [
		`Profile of ${title}: by itself`,
		...list(alone),
		`${title}: with what it calls`,
		...list(together),
		'',
	].join('\n');
}

function nameOf({ callFrame: { functionName, url } }: Profile['nodes'][number]): string {
	const file = url.replace(/^.*\/(node_modules|build)\//, '');
	return `${functionName || '(no name)'} ${file}`;
}
