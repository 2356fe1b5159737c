/** Names and ids that every world contains by default, so that tests and people can refer to them. */

/** A key of the first workspace. */
export const SANDBOX_KEY = 'ak_sandbox_example_key';
/** A key of the second workspace, which has no access to the first. */
export const OTHER_KEY = 'ak_sandbox_other_workspace';

export const WORKSPACE_ID = 'a2590e46-65f5-48f9-b95f-b991d7bd4361';
export const OTHER_WORKSPACE_ID = 'b1a9a4a3-ac10-438a-a11b-2b6a009d56e4';

/** The pipelines of the first workspace by API name. Each name is the API name with a capital first letter. */
export const PIPELINE_IDS = {
  orders: '9a50bc2a-cb77-4ec3-b55d-44d6b0a89a07',
  customers: '9a61ba40-14a5-4ddd-8480-14cb8f05604f',
  broken: '0bc674a2-f060-47f0-a148-8a8b395595e2',
  idle: 'ecdb4b22-73a1-4642-8fbf-4d3900ccf69e',
  overrun: 'b4ade22b-cfce-4ba7-b162-0d7cd25d7705',
  slow: '2007da70-ac84-4186-89d8-9c0b4346ccc1',
  endless: '0547925d-c969-4542-af57-8f07c0001b09',
  unpicked: '1e6044f6-c6bd-4bd9-9dab-24e647e1f4bc',
  penniless: '31cccbec-e2ae-40c4-a0d1-bb53eb090bd2',
  flaky: '0c3c2a0e-5c41-4f0b-a2d4-6d2f8a1b7c55',
  flakier: '5f0a4c1d-92c7-4d3e-8b61-3b7d0e9f2a18',
  inactive: '31243422-10a0-40cb-a7d7-bacd4b0ce0ce',
} as const;

/** The only pipeline of the second workspace. */
export const FOREIGN_PIPELINE_ID = '74df2e10-97bb-4320-a7f4-6c66b34ea5aa';

/** The id of the row that the effect `foreign-row` adds to a response. No world contains such a run. */
export const FOREIGN_JOB_ID = 'f2aaa891-c3a0-4c92-b788-0b4bc8d4362b';

/** At this speed, a run of `orders` takes three seconds, and every run that ends takes at most twenty. */
export const DEMO_SPEED = 30;
