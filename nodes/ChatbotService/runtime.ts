/*
 * What runs when somebody uses the node. When n8n starts, it loads every installed node, and needs only what describes it. So this
 * becomes a file of its own in the package: see later.ts.
 */
import { build as ofOperations } from './resources';

export { answerQuestion } from './ask/link';
export * from './listSearch';
export { runItem, runOperation } from './run/context';

declare const packageBuild: string | undefined;

const own = typeof packageBuild === 'string' ? packageBuild : undefined;

/** Which build of the package this file and the one with the operations belong to; undefined if to different ones. */
export const build = own === ofOperations?.of ? own : undefined;
