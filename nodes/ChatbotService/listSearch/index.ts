/* The editor's lists, by the method names in the description. */

export { searchListSchemas } from './searchListSchemas';
export { searchSchemaFields } from './searchSchemaFields';
export { searchTags } from './searchTags';
export { searchVariableIds, searchVariableNames } from './searchVariables';
