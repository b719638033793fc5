/* The lists that the editor offers, by the names that the descriptions use. */

export { searchBotTags } from './searchBotTags';
export { searchContactTags } from './searchContactTags';
export { searchListSchemas } from './searchListSchemas';
export { searchSchemaFields } from './searchSchemaFields';
export { searchVariableIds, searchVariableNames } from './searchVariables';
