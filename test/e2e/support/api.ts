import {
	HostApi as SandboxApi,
	type CredentialData,
	poll,
	type StoredWorkflow,
	until,
} from '../../../sandbox/host';
import { type WorkflowData, writable } from '../../../sandbox/host/api';

interface ListedExecution {
	id: string;
	status: string;
	retryOf?: string | null;
}

/** The sandbox's client of n8n, with what only tests ask of n8n. */
export class HostApi extends SandboxApi {
	nodeTypes = () => this.ask<Array<{ name: string }>>('GET /types/nodes.json');

	communityPackages = () => this.editor('GET /community-packages');

	/** Makes n8n install a package from its registry: by name, or by name@version. */
	installCommunityPackage = (name: string) => this.editor('POST /community-packages', { name });

	updateCommunityPackage = (name: string) => this.editor('PATCH /community-packages', { name });

	removeCommunityPackage = (name: string) =>
		this.editor(`DELETE /community-packages?name=${encodeURIComponent(name)}`);

	deleteCredential = (id: string) => this.public(`DELETE /credentials/${id}`);

	/** Tests a stored credential with the given data, as the editor does when it saves. */
	testCredential = (id: string, credential: CredentialData) =>
		this.editor<{ status: 'OK' | 'Error'; message: string }>('POST /credentials/test', {
			credentials: { id, ...credential },
		});

	updateWorkflow = (id: string, workflow: WorkflowData) =>
		this.public<StoredWorkflow>(`PUT /workflows/${id}?publishIfActive=false`, writable(workflow));

	activateWorkflow = (id: string) => this.public(`POST /workflows/${id}/activate`, {});

	deactivateWorkflow = (id: string) => this.public(`POST /workflows/${id}/deactivate`, {});

	/** Whether the last activation of an active workflow has taken effect: n8n publishes the workflow a little later. */
	async isPublished(id: string): Promise<boolean> {
		const { status } = await this.editor<{ status: string }>(`GET /workflows/${id}/publication-status`);
		return status === 'published';
	}

	async deleteWorkflow(id: string): Promise<void> {
		await this.deactivateWorkflow(id);
		const isDeleted = async () =>
			await this.public(`DELETE /workflows/${id}`).then(
				() => true,
				(error: Error) => {
					// Unpublishing takes a moment.
					if (error.message.includes('still being unpublished')) return false;
					throw error;
				},
			);
		await until(isDeleted, { failure: `n8n did not unpublish workflow ${id}`, everyMs: 200 });
	}

	/** The latest first, including those that still run, which the public API leaves out. */
	async executions(workflowId: string): Promise<ListedExecution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return (await this.editor<{ results: ListedExecution[] }>(`GET /executions?filter=${filter}`)).results;
	}

	stopExecution = (id: string) => this.public(`POST /executions/${id}/stop`, {});

	/**
	 * Retries a failed execution with its own workflow, like "Retry" in the editor's list.
	 *
	 * @returns the ID of the new execution, which may still be running
	 */
	async retryExecution(id: string): Promise<string> {
		const { workflowId } = await this.public<{ workflowId: string }>(`GET /executions/${id}`);
		const retries = async () => (await this.executions(workflowId)).filter(({ retryOf }) => retryOf === id);
		const earlier = (await retries()).length;
		// The answer comes only after the new execution has ended; it is awaited only for a refusal.
		const answer = this.public<{ id: string }>(`POST /executions/${id}/retry`, { loadWorkflow: false });
		const isListed = poll(async () => (await retries()).at(-1 - earlier)?.id);
		return await Promise.race([answer.then((retry) => retry.id), isListed]);
	}
}
