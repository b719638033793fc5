/** The process of one stand-in service. It is told everything else through its control plane. */

import { startService } from '../sandbox/service';

void startService().then(({ url, token }) => process.send!({ url, token }));
process.on('disconnect', () => process.exit());
