// Scenes in which a call fails. fault-texts.txt shows the cause and the remedy for every fault.
import { rawHost } from '../../support/hosts.ts';
import { meets } from '../../support/meeting.ts';
import { answers } from '../../support/scripted-wire.ts';
import { send } from '../../support/sending.ts';
import { API_KEY, bootstrap } from '../../support/service.ts';
import { lineOf, type Scene, steps } from './scene.ts';

export const SERVICE_SCENES: readonly Scene[] = [
  steps(
    'the exchange returns an unusable response',
    ...[
      { token: `x${API_KEY}` },
      { backend_anon_key: null },
      { backend_anon_key: API_KEY },
      { backend_url: 'api' },
      { backend_url: 'http://api.example.test' },
      { backend_url: 'https://a:b@api.example.test' },
      { backend_url: `https://api.example.test/${API_KEY}` },
      { backend_url: `https://api.example.test/${'a'.repeat(2_000)}` },
    ].map((fields) => ({ scripts: { exchange: () => answers(200, bootstrap(fields)) } })),
  ),
  steps('the list call fails', { scripts: { list: meets('http_400') } }),
  steps(
    'the trigger call fails',
    ...(['http_429', 'json_null'] as const).map((fault) => ({ scripts: { trigger: meets(fault) } })),
  ),
  {
    when: 'the service sends too many interim responses',
    async play() {
      const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(101);
      const { port } = await rawHost((socket) => socket.on('data', () => socket.end(interim)));
      const { error } = await send(`http://127.0.0.1:${port}`).over;
      return [lineOf(error?.message ?? '')];
    },
  },
];
