import { messageOptions } from '../resources/message/options';
import { messageSend } from '../resources/message/send';
import type { Resource } from '../resources/operation';

/** The line under the node on the canvas, such as "Tag: Attach to Contact". It also says that a run would be a test. */
export function subtitleOf(resources: Resource[]): string {
	// An array, because nested objects end in two braces, which end an expression.
	const titles = resources.flatMap(({ option, operations }) =>
		operations.map(({ option: { name, value } }) => [`${option.value}/${value}`, `${option.name}: ${name}`]),
	);
	const title = `new Map(${JSON.stringify(titles)}).get($parameter["resource"] + "/" + $parameter["operation"])`;
	const { name } = messageSend.broadcast!.ofRun.testRun.field;
	const isTest = `$parameter["resource"] === "message" && (($parameter["${messageOptions.name}"] || {})["${name}"] || {}).values`;
	return `={{ (${isTest} ? "TEST RUN " : "") + ${title} }}`;
}
