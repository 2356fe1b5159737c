import { describe, expect, it } from 'vitest';
import { sourceTexts } from './error-texts/source-texts.ts';
import { readTexts } from './error-texts/table.ts';
import { CALLS } from './fault.ts';
import { wordsFor } from './fault-words.ts';
import { FAULT_NAMES } from './faults.ts';

/** Said in no annotation; each group with its reason. */
const ELSEWHERE: readonly RegExp[] = [
  // Requests, titles, and what is looked for in the errors of others.
  /^\/rest\/v1\/|tunneling socket|^run-pipeline: |^the connection closed$/,
  // Lines of the log and outputs: test/unit/action has them.
  /no effect with|^Runs that may still be in progress: …$|^wait: false$|^neither timeout nor|^… of … runs do not fit|^The step sent nothing/,
  /^The outputs could not be written|^Run …: could not …|^A run of … would be|^, and its tables dropped|^… …\. The step does not wait|^goes on; its status is …$/,
  /^passed the dry run$|^… may be cancelled by the post step/,
  /^has the status …$|^the run of …$|^a pipeline without a name$|^Nothing was triggered\. …$/,
  /^\s+### Pipeline run: after the job|and … more, which the log names/,
  // Deaths of the process itself: test/unit/action/steps/refusal.test.ts and test/e2e have them.
  /^Internal error of the post step|^Uncaught error/,
  // Code that is missing: test/e2e/missing-code.test.ts has it.
  /^a part of this action could not be loaded/,
  // What interrupts a step: test/unit/action/state/mark.test.ts has it.
  /^by its post step$/,
  // The wait for an exchange that another call had begun: test/unit/service/session.test.ts has it.
  /^no response within …$/,
  // A flood of interim responses: test/unit/service/http/http-wire.test.ts has it.
  /^too many interim responses/,
  // Why a POST is kept back: no caller shows it. Why post stops runs: it uses words of its own.
  /^the step stops$|^The step was killed$|^The job was cancelled$/,
  // What a service that does not exist could do: the types want words for it.
  /^the request was …$|^the answer came$|^an unknown time$/,
  // The cause, which the annotation does not show: test/unit/action/report/outputs.test.ts has it.
  /^a value of several lines may be torn$/,
];

describe('the words of the source', () => {
  const told = [
    ...readTexts().values(),
    ...FAULT_NAMES.flatMap((fault) =>
      CALLS.map((call) => wordsFor(fault, call)).map(({ cause, help }) => `${cause} ${help ?? ''}`),
    ),
  ];

  it.each(sourceTexts().filter(({ text }) => !ELSEWHERE.some((pattern) => pattern.test(text))))(
    'are in a table: $file: $text',
    ({ pattern }) => {
      const isTold = told.some((text) => pattern.test(text));
      expect(isTold, 'a scene in test/matrix/error-texts/ should bring it about, and error-texts.txt show it').toBe(
        true,
      );
    },
  );

  it('are looked for at all', () => {
    expect(sourceTexts().length).toBeGreaterThan(150);
    expect(new Set(sourceTexts().map(({ file }) => file)).size).toBeGreaterThan(20);
  });
});
