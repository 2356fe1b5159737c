import type { ListedPipeline, ListResult, PipelineRows, Service } from './api.ts';
import type { Failure } from './problem.ts';
import type { CallOptions } from './session.ts';

/*
 * PostgREST cuts long lists off, often without saying so. Such a list does not prove that a name is missing or unique, so
 * it is read again in pages, which prove that they are complete.
 */

/** A list with fewer rows counts as complete. Hosted services cap lists at 1,000 rows, and lower caps are not used in practice. */
const MAYBE_CAPPED_ROWS = 100;
/** At 1,000 rows per page, this is enough for 100,000 rows. It also ends the loop if no page is empty. */
const MOST_PAGES = 100;

/** The pipelines that the service lists. */
export interface Listing {
  readonly byId: ReadonlyMap<string, ListedPipeline>;
  /** A clause that says why the list may lack pipelines, or undefined if the list is complete. */
  readonly gap?: string | undefined;
}

/** Sends a request, and repeats it for as long as its caller is patient. */
type Repeat = (request: (options: CallOptions) => Promise<ListResult>) => Promise<ListResult>;

/**
 * Lists the pipelines. If the response may be incomplete and `suffices` returns false for it, the list is read again in
 * pages.
 */
export async function readListing(
  service: Pick<Service, 'list' | 'listPage'>,
  repeat: Repeat,
  suffices: (byId: Listing['byId']) => boolean,
): Promise<Listing | Failure> {
  const first = await repeat((options) => service.list(options));
  if (first.kind !== 'pipelines') return first;
  const byId = new Map<string, ListedPipeline>();
  addTo(byId, first);
  if (first.rowCount < MAYBE_CAPPED_ROWS && !first.isPartial) return { byId };
  if (suffices(byId)) return { byId, gap: 'the service could have omitted pipelines' };

  const paged = new Map<string, ListedPipeline>();
  for (let nth = 1, lastId: string | undefined; ; nth += 1) {
    const page = await repeat((options) => service.listPage(lastId, options));
    if (page.kind === 'aborted') return page;
    if (page.kind !== 'pipelines') return { byId, gap: `page ${nth} could not be read: ${page.problem.cause}` };
    if (page.rowCount === 0 && page.isPartial)
      return { byId, gap: `page ${nth} is empty, although there are more rows` };
    if (page.rowCount === 0) break;
    const gap = mistakeIn(page, nth, lastId);
    if (gap !== undefined) return { byId, gap };
    addTo(paged, page);
    lastId = page.pipelines.at(-1)?.id;
  }
  // A service that does not know the parameters may respond with an empty page.
  for (const id of byId.keys()) if (!paged.has(id)) return { byId, gap: `the pages do not contain pipeline ${id}` };
  return { byId: paged };
}

function addTo(byId: Map<string, ListedPipeline>, { pipelines }: PipelineRows): void {
  for (const pipeline of pipelines) byId.set(pipeline.id, pipeline);
}

/** Returns a clause that says why a page is inconclusive. The service compares UUIDs like their texts. */
function mistakeIn({ pipelines }: PipelineRows, nth: number, lastId: string | undefined): string | undefined {
  if (nth > MOST_PAGES) return `it has more than ${MOST_PAGES} pages`;
  const [first] = pipelines;
  if (first !== undefined && lastId !== undefined && first.id <= lastId)
    return `page ${nth} begins with a pipeline of an earlier page`;
  const isSorted = pipelines.every(({ id }, index) => index === 0 || id >= (pipelines[index - 1]?.id ?? ''));
  return isSorted ? undefined : `page ${nth} is not in the requested order`;
}
