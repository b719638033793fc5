import { createRequire } from 'node:module';
import { join } from 'node:path';

import { poll, until } from '../processes/poll';
import { hostFolder } from './paths';

/**
 * Headers for a connection of its own. n8n closes a connection that is idle for five seconds, and a test that has been busy for
 * as long can send its next request on that connection, which fails.
 */
export const ownConnection = { connection: 'close' };

export interface Owner {
	email: string;
	password: string;
	firstName: string;
	lastName: string;
}

export interface CredentialData {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

export interface WorkflowNode {
	id?: string;
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string | null; name: string }>;
	[key: string]: unknown;
}

/** A workflow in the format of n8n's own exports. */
export interface WorkflowData {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	meta?: Record<string, unknown>;
	[key: string]: unknown;
}

export interface StoredWorkflow extends WorkflowData {
	id: string;
	versionId: string;
}

/** A credential that n8n has stored, without its data. */
export interface StoredCredential {
	id: string;
	name: string;
	type: string;
}

export interface NodeTypeDescription {
	name: string;
	displayName: string;
	version: number | number[];
	[key: string]: unknown;
}

export interface CommunityPackage {
	packageName: string;
	installedVersion: string;
	authorName?: string;
	failedLoading?: boolean;
	/** A newer version in the registry. */
	updateAvailable?: string;
	installedNodes: Array<{ name: string; type: string; latestVersion: number }>;
}

export interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}

export interface OutputItem {
	json: Record<string, unknown>;
	pairedItem?: unknown;
	error?: unknown;
	[key: string]: unknown;
}

export interface NodeRun {
	startTime: number;
	error?: { message?: string; description?: string };
	data?: { main?: Array<OutputItem[] | null> };
	source: Array<{ previousNode: string; previousNodeOutput?: number; previousNodeRun?: number } | null>;
}

export interface ExecutionSummary {
	id: string;
	status: string;
	retryOf?: string | null;
}

interface ResultData {
	runData?: Record<string, NodeRun[]>;
	error?: { message?: string; description?: string };
}

export class Execution {
	constructor(
		readonly id: string,
		readonly status: string,
		private readonly result: ResultData,
	) {}

	get nodes(): string[] {
		return Object.keys(this.result.runData ?? {});
	}

	get error(): { message?: string; description?: string } | undefined {
		return this.result.error;
	}

	/** The output items of a node over all its runs; for a node with an error output, output 1 is that output. */
	output(node: string, output = 0): OutputItem[] {
		return this.runs(node).flatMap((run) => run.data?.main?.[output] ?? []);
	}

	/** The runs of a node: one for each time items reached it. */
	runs(node: string): NodeRun[] {
		return this.result.runData?.[node] ?? [];
	}

	/** The item of an earlier node that n8n's item linking finds for an item. */
	origin(ancestor: string, run: NodeRun, item: OutputItem): OutputItem | undefined {
		const [link] = [item.pairedItem].flat() as Array<number | { item: number; input?: number } | undefined>;
		if (link === undefined) return undefined;
		const { item: index, input = 0 } = typeof link === 'number' ? { item: link } : link;
		const source = run.source[input];
		if (!source) return undefined;
		const previous = this.runs(source.previousNode)[source.previousNodeRun ?? 0];
		const parent = previous?.data?.main?.[source.previousNodeOutput ?? 0]?.[index];
		if (!previous || !parent) return undefined;
		return source.previousNode === ancestor ? parent : this.origin(ancestor, previous, parent);
	}
}

interface RequestOptions {
	method?: string;
	body?: unknown;
}

const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];

/** A client of the REST API that n8n's own editor uses. */
export class HostApi {
	constructor(
		private readonly url: string,
		private cookie = '',
	) {}

	get login(): string {
		return this.cookie;
	}

	/** Creates the owner of a new n8n, and logs in. */
	async signIn(owner: Owner): Promise<void> {
		const settings = await this.request<{ userManagement: { showSetupOnFirstLoad: boolean } }>('/settings');
		if (settings.userManagement.showSetupOnFirstLoad) {
			await this.request('/owner/setup', { method: 'POST', body: owner });
			return;
		}
		await this.request('/login', {
			method: 'POST',
			body: { emailOrLdapLoginId: owner.email, password: owner.password },
		});
	}

	async nodeTypes(): Promise<NodeTypeDescription[]> {
		const response = await this.fetch('/types/nodes.json');
		return (await response.json()) as NodeTypeDescription[];
	}

	async communityPackages(): Promise<CommunityPackage[]> {
		return await this.request('/community-packages');
	}

	/** Makes n8n install a package from its registry: by name, or by name@version. */
	async installCommunityPackage(name: string): Promise<CommunityPackage> {
		return await this.request('/community-packages', { method: 'POST', body: { name } });
	}

	async updateCommunityPackage(name: string): Promise<CommunityPackage> {
		return await this.request('/community-packages', { method: 'PATCH', body: { name } });
	}

	async removeCommunityPackage(name: string): Promise<void> {
		await this.request(`/community-packages?name=${encodeURIComponent(name)}`, { method: 'DELETE' });
	}

	async credentials(): Promise<StoredCredential[]> {
		return await this.request('/credentials');
	}

	async createCredential(credential: CredentialData): Promise<StoredCredential> {
		return await this.request('/credentials', { method: 'POST', body: credential });
	}

	async updateCredential(id: string, credential: CredentialData): Promise<StoredCredential> {
		return await this.request(`/credentials/${id}`, { method: 'PATCH', body: credential });
	}

	async deleteCredential(id: string): Promise<void> {
		await this.request(`/credentials/${id}`, { method: 'DELETE' });
	}

	async testCredential(id: string, credential: CredentialData): Promise<CredentialTestResult> {
		return await this.request('/credentials/test', {
			method: 'POST',
			body: { credentials: { id, ...credential } },
		});
	}

	async workflows(): Promise<Array<{ id: string; name: string; isArchived?: boolean }>> {
		return await this.request('/workflows');
	}

	async workflow(id: string): Promise<StoredWorkflow> {
		return await this.request(`/workflows/${id}`);
	}

	async createWorkflow(workflow: WorkflowData): Promise<StoredWorkflow> {
		return await this.request('/workflows', { method: 'POST', body: workflow });
	}

	async updateWorkflow(id: string, workflow: WorkflowData): Promise<StoredWorkflow> {
		const { versionId } = await this.workflow(id);
		return await this.request(`/workflows/${id}?forceSave=true`, {
			method: 'PATCH',
			body: { ...workflow, versionId },
		});
	}

	async activateWorkflow(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.request(`/workflows/${id}/activate`, { method: 'POST', body: { versionId } });
	}

	/** Whether the last activation of an active workflow has taken effect: n8n publishes the workflow a little later. */
	async isPublished(id: string): Promise<boolean> {
		const { status } = await this.request<{ status: string }>(`/workflows/${id}/publication-status`);
		return status === 'published';
	}

	async deleteWorkflow(id: string): Promise<void> {
		await this.request(`/workflows/${id}/archive`, { method: 'POST', body: {} });
		await until(
			async () => {
				try {
					await this.request(`/workflows/${id}`, { method: 'DELETE' });
					return true;
				} catch (error) {
					// n8n first unpublishes a published workflow, which takes a moment.
					if ((error as Error).message.includes('still being unpublished')) return false;
					throw error;
				}
			},
			{ failure: `n8n did not unpublish workflow ${id}`, everyMs: 200 },
		);
	}

	/** Runs a stored workflow from its manual trigger, like the button in the editor, and waits for its end. */
	async runWorkflow(id: string, { timeoutMs = 120_000, signal }: RunOptions = {}): Promise<Execution> {
		const { nodes } = await this.workflow(id);
		const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
		if (!trigger) throw new Error('The workflow has no manual trigger');
		const { executionId } = await this.request<{ executionId: string }>(`/workflows/${id}/run`, {
			method: 'POST',
			body: { triggerToStartFrom: { name: trigger.name } },
		});
		return await this.waitForExecution(executionId, { timeoutMs, signal });
	}

	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.request<{ results: ExecutionSummary[] }>(`/executions?filter=${filter}`);
		return results;
	}

	async stopExecution(id: string): Promise<void> {
		await this.request(`/executions/${id}/stop`, { method: 'POST', body: {} });
	}

	/**
	 * Retries a failed execution, like "Retry" in the editor's list: with its own workflow, or with the workflow as it is
	 * stored now.
	 *
	 * @returns the ID of the new execution, which may still be running
	 */
	async retryExecution(id: string, { loadWorkflow }: { loadWorkflow: boolean }): Promise<string> {
		const execution = await this.request<{ workflowId: string } | undefined>(`/executions/${id}`);
		if (!execution) throw new Error(`n8n has not kept execution ${id}`);
		const { workflowId } = execution;
		const retries = async () => (await this.executions(workflowId)).filter(({ retryOf }) => retryOf === id);
		const earlier = new Set((await retries()).map((retry) => retry.id));
		// The answer comes only after the new execution has ended, so it is not read.
		const answer = this.request<{ id: string }>(`/executions/${id}/retry`, {
			method: 'POST',
			body: { loadWorkflow },
		});
		const known = new AbortController();
		const listed = poll(async () => (await retries()).find((each) => !earlier.has(each.id))?.id, known);
		try {
			return await Promise.race([answer.then((retry) => retry.id), listed]);
		} finally {
			known.abort();
		}
	}

	async waitForExecution(id: string, { timeoutMs = 120_000, signal }: RunOptions = {}): Promise<Execution> {
		return await poll(
			async () => {
				const { status, data } = await this.request<{ status: string; data: string }>(`/executions/${id}`);
				if (UNFINISHED.includes(status)) return undefined;
				return new Execution(id, status, parseExecutionData(data).resultData);
			},
			{ failure: `Execution ${id} did not end`, timeoutMs, everyMs: 200, signal },
		);
	}

	private async request<T = unknown>(path: string, options: RequestOptions = {}): Promise<T> {
		const response = await this.fetch(`/rest${path}`, options);
		const { data } = (await response.json()) as { data: T };
		return data;
	}

	private async fetch(path: string, { method = 'GET', body }: RequestOptions = {}): Promise<Response> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				...ownConnection,
				accept: 'application/json',
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...(this.cookie ? { cookie: this.cookie } : {}),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		if (!response.ok) {
			throw new Error(`n8n answered ${method} ${path} with ${response.status}: ${await response.text()}`);
		}
		return response;
	}
}

export interface RunOptions {
	timeoutMs?: number;
	signal?: AbortSignal;
}

/** n8n stores execution data in the format of the library "flatted", which it includes. */
function parseExecutionData(data: string): { resultData: ResultData } {
	const { parse } = createRequire(join(hostFolder, 'package.json'))('flatted') as {
		parse(text: string): { resultData: ResultData };
	};
	return parse(data);
}
