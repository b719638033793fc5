import { credentialFor, doing, fixtures, serviceFor, wanted } from '../fixtures/workflows';
import { runSaved } from './harness';

/* Workflows that earlier versions of the package have saved do today what they did then. */

test.each(fixtures.map((fixture) => [`${fixture.version}, ${fixture.name}`, fixture] as const))(
	'%s',
	async (_title, fixture) => {
		const service = await serviceFor(fixture);
		try {
			const { outputs, error } = await runSaved(fixture.workflow, credentialFor(fixture, service));
			expect(doing(fixture, service, outputs, error)).toEqual(wanted(fixture));
			service.assertContract();
		} finally {
			await service.stop();
		}
	},
);
