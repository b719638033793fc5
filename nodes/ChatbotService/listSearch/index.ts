/* The lists that the editor offers, by the names that the descriptions use. */

export { searchListSchemas } from './searchListSchemas';
export { searchSchemaFields } from './searchSchemaFields';
export { searchTags } from './searchTags';
export { searchVariableIds, searchVariableNames } from './searchVariables';
