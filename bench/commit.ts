/* Which state of the node figures belong to. */

import execa from 'execa';

import { projectFolder } from '../sandbox/host/paths';

const node = ['nodes', 'credentials'];

const git = (...args: string[]) => execa.sync('git', args, { cwd: projectFolder, reject: false });

export interface State {
	/** A short hash. */
	commit: string;
	/** The node had changes that were not committed. */
	withChanges?: true;
}

export function stateNow(): State {
	const commit = git('rev-parse', '--short=7', 'HEAD').stdout || 'unknown';
	return git('status', '--porcelain', '--', ...node).stdout ? { commit, withChanges: true } : { commit };
}

/** Whether HEAD has the same node; undefined if this clone does not have the commit. */
export function isNodeOfHead({ commit, withChanges }: State): boolean | undefined {
	const { exitCode } = git('diff', '--quiet', commit, 'HEAD', '--', ...node);
	return exitCode > 1 ? undefined : exitCode === 0 && !withChanges;
}

export const stateText = ({ commit, withChanges }: State) => `${commit}${withChanges ? ' with changes' : ''}`;
