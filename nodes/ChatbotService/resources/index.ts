import type { Operation, Resource } from '../shared/operation';
import { contactVariable } from './contactVariable';
import { listSchema } from './listSchema';
import { message } from './message';
import { tag } from './tag';

/** All the node can do, in the order of the Resource parameter. */
export const resources: Resource[] = [contactVariable, listSchema, message, tag];

const byValues = new Map<string, Operation>(
	resources.flatMap((resource) =>
		resource.operations.map((operation): [string, Operation] => [
			`${resource.option.value}/${operation.option.value}`,
			operation,
		]),
	),
);

/**
 * The operation that the values of the Resource and Operation parameters name.
 *
 * @throws Error when there is none, which only a workflow edited by hand can bring about.
 */
export function findOperation(resource: string, operation: string): Operation {
	const found = byValues.get(`${resource}/${operation}`);
	if (!found) throw new Error(`There is no operation "${operation}" for the resource "${resource}"`);
	return found;
}
