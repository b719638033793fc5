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

interface CommunityPackage {
	packageName: string;
	[key: string]: unknown;
}

interface OutputItem {
	json: Record<string, unknown>;
	pairedItem?: unknown;
	error?: unknown;
	[key: string]: unknown;
}

interface NodeRun {
	startTime: number;
	error?: Failure;
	data?: { main?: Array<OutputItem[] | null> };
	source: Array<{ previousNode: string; previousNodeOutput?: number; previousNodeRun?: number } | null>;
}

interface ExecutionSummary {
	id: string;
	status: string;
	retryOf?: string | null;
}

interface Failure {
	message?: string;
	description?: string;
}

interface ResultData {
	runData?: Record<string, NodeRun[]>;
	error?: Failure;
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

	get error(): Failure | undefined {
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

const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];

/** A client of the REST API that n8n's own editor uses. */
export class HostApi {
	/** @param login the cookie of an existing login */
	constructor(
		private readonly url: string,
		public login = '',
	) {}

	/** Creates the owner of a new n8n, and logs in. */
	async signIn(owner: Owner): Promise<void> {
		const { userManagement } = await this.ask<{ userManagement: { showSetupOnFirstLoad: boolean } }>(
			'GET /settings',
		);
		const { email: emailOrLdapLoginId, password } = owner;
		if (userManagement.showSetupOnFirstLoad) await this.ask('POST /owner/setup', owner);
		else await this.ask('POST /login', { emailOrLdapLoginId, password });
	}

	async nodeTypes(): Promise<Array<{ name: string }>> {
		const response = await this.fetch('GET', '/types/nodes.json');
		return (await response.json()) as Array<{ name: string }>;
	}

	communityPackages = () => this.ask<CommunityPackage[]>('GET /community-packages');

	/** Makes n8n install a package from its registry: by name, or by name@version. */
	installCommunityPackage = (name: string) =>
		this.ask<CommunityPackage>('POST /community-packages', { name });

	updateCommunityPackage = (name: string) =>
		this.ask<CommunityPackage>('PATCH /community-packages', { name });

	removeCommunityPackage = (name: string) =>
		this.ask(`DELETE /community-packages?name=${encodeURIComponent(name)}`);

	credentials = () => this.ask<StoredCredential[]>('GET /credentials');

	createCredential = (credential: CredentialData) =>
		this.ask<StoredCredential>('POST /credentials', credential);

	updateCredential = (id: string, credential: CredentialData) =>
		this.ask<StoredCredential>(`PATCH /credentials/${id}`, credential);

	deleteCredential = (id: string) => this.ask(`DELETE /credentials/${id}`);

	/** Tests a stored credential with the given data, as the editor does when it saves. */
	testCredential = (id: string, credential: CredentialData) =>
		this.ask<{ status: 'OK' | 'Error'; message: string }>('POST /credentials/test', {
			credentials: { id, ...credential },
		});

	/** Without their nodes. */
	workflows = () => this.ask<Array<{ id: string; name: string; isArchived?: boolean }>>('GET /workflows');

	workflow = (id: string) => this.ask<StoredWorkflow>(`GET /workflows/${id}`);

	createWorkflow = (workflow: WorkflowData) => this.ask<StoredWorkflow>('POST /workflows', workflow);

	async updateWorkflow(id: string, workflow: WorkflowData): Promise<StoredWorkflow> {
		const { versionId } = await this.workflow(id);
		return await this.ask(`PATCH /workflows/${id}?forceSave=true`, { ...workflow, versionId });
	}

	async activateWorkflow(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.ask(`POST /workflows/${id}/activate`, { versionId });
	}

	deactivateWorkflow = (id: string) => this.ask(`POST /workflows/${id}/deactivate`, {});

	/** Whether the last activation of an active workflow has taken effect: n8n publishes the workflow a little later. */
	async isPublished(id: string): Promise<boolean> {
		const { status } = await this.ask<{ status: string }>(`GET /workflows/${id}/publication-status`);
		return status === 'published';
	}

	async deleteWorkflow(id: string): Promise<void> {
		await this.ask(`POST /workflows/${id}/archive`, {});
		await until(
			async () => {
				try {
					await this.ask(`DELETE /workflows/${id}`);
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
	async runWorkflow(id: string, options?: RunOptions): Promise<Execution> {
		return await this.waitForExecution(await this.startWorkflow(id), options);
	}

	/** Starts it in the same way. @returns the ID of the execution */
	async startWorkflow(id: string): Promise<string> {
		const { nodes } = await this.workflow(id);
		const trigger = nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger');
		if (!trigger) throw new Error('The workflow has no manual trigger');
		const { executionId } = await this.ask<{ executionId: string }>(`POST /workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger.name },
		});
		return executionId;
	}

	/** The latest first. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return (await this.ask<{ results: ExecutionSummary[] }>(`GET /executions?filter=${filter}`)).results;
	}

	async statusOf(executionId: string): Promise<string> {
		return (await this.ask<{ status: string }>(`GET /executions/${executionId}`)).status;
	}

	stopExecution = (id: string) => this.ask(`POST /executions/${id}/stop`, {});

	/**
	 * Retries a failed execution, like "Retry" in the editor's list: with its own workflow, or with the workflow as it is
	 * stored now.
	 *
	 * @returns the ID of the new execution, which may still be running
	 */
	async retryExecution(id: string, options: { loadWorkflow: boolean }): Promise<string> {
		const execution = await this.ask<{ workflowId: string } | undefined>(`GET /executions/${id}`);
		if (!execution) throw new Error(`n8n has not kept execution ${id}`);
		const { workflowId } = execution;
		const retries = async () => (await this.executions(workflowId)).filter(({ retryOf }) => retryOf === id);
		const earlier = new Set((await retries()).map((retry) => retry.id));
		// The answer comes only after the new execution has ended, so it is not read.
		const answer = this.ask<{ id: string }>(`POST /executions/${id}/retry`, options);
		const known = new AbortController();
		const listed = poll(async () => (await retries()).find((each) => !earlier.has(each.id))?.id, known);
		try {
			return await Promise.race([answer.then((retry) => retry.id), listed]);
		} finally {
			known.abort();
		}
	}

	/** @returns the execution with its data */
	async waitForExecution(id: string, { timeoutMs = 120_000, signal }: RunOptions = {}): Promise<Execution> {
		return await poll(
			async () => {
				const { status, data } = await this.ask<{ status: string; data: string }>(`GET /executions/${id}`);
				if (UNFINISHED.includes(status)) return undefined;
				return new Execution(id, status, parseExecutionData(data).resultData);
			},
			{ failure: `Execution ${id} did not end`, timeoutMs, everyMs: 200, signal },
		);
	}

	/** @param request method and path */
	private async ask<T = unknown>(request: string, body?: unknown): Promise<T> {
		const [method, path] = request.split(' ') as [string, string];
		const response = await this.fetch(method, `/rest${path}`, body);
		return ((await response.json()) as { data: T }).data;
	}

	private async fetch(method: string, path: string, body?: unknown): Promise<Response> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				...ownConnection,
				accept: 'application/json',
				...(body !== undefined && { 'content-type': 'application/json' }),
				...(this.login && { cookie: this.login }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.login = cookies.join('; ');
		if (!response.ok) {
			throw new Error(`n8n answered ${method} ${path} with ${response.status}: ${await response.text()}`);
		}
		return response;
	}
}

interface RunOptions {
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
