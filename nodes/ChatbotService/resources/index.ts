import type { Operation, Resource } from './operation';
import { contactVariable } from './contactVariable';
import { listSchema } from './listSchema';
import { message } from './message';
import { tag } from './tag';

/** All operations of the node, in the order of the Resource parameter. */
export const resources: Resource[] = [contactVariable, listSchema, message, tag];

/** The operation that the values of Resource and Operation name; undefined if they name none. */
export const findOperation = (resource: unknown, operation: unknown): Operation | undefined =>
	resources
		.find(({ option }) => option.value === resource)
		?.operations.find(({ option }) => option.value === operation);
