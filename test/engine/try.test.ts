import { createServer } from 'node:http';
import { runNode } from './harness';
test('try', async () => {
	const seen: unknown[] = [];
	const server = createServer((req, res) => { let b=''; req.on('data',(c)=>b+=c); req.on('end',()=>{ seen.push([req.method, req.url, b, req.headers]); res.setHeader('content-type','application/json'); res.end(JSON.stringify({ success: true })); }); });
	await new Promise<void>((r) => server.listen(0, '127.0.0.1', r));
	const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
	const r = await runNode({ parameters: { resource: 'message', operation: 'send', contactId: '={{ $json.id }}', text: 'Привет, мир & +' }, credential: { baseUrl: url + '/api/v1/', token: 'sekret', tokenPlacement: 'query', tokenName: 'api_token' }, items: [{ id: 5 }, { id: '7' }] });
	console.log(JSON.stringify({ seen, json: r.json, error: r.error?.message, d: r.error?.description, out: r.outputs }, null, 1));
	const r2 = await runNode({ parameters: { resource: 'tag', operation: 'attach', contactId: '={{ $json.id }}', tagName: {__rl:true, mode:'name', value:'VIP'} }, credential: { baseUrl: url + '/api/v1/', token: 'sekret', tokenPlacement: 'bearer', tokenName: 'api_token' }, items: [{ id: 5 }, { id: 'x' }] });
	console.log(JSON.stringify({ seen: seen.slice(2), json: r2.json, error: r2.error?.message, d: r2.error?.description, c: r2.error?.context }, null, 1));
	server.close();
});
