-- Who may do what. It comes after the server has started, because then the server lets everybody do everything
-- to tables with row-level security.

revoke all on all tables in schema public from anon, authenticated;
revoke execute on all functions in schema public from public, anon, authenticated;

grant usage on schema public, private to anon, authenticated;
grant execute on function private.workspace_id, public.create_pipeline_run_job to authenticated;
grant select on public.pipelines, public.datasources, public.pipelines_and_datasources, public.jobs
  to authenticated;
grant update (job_status) on public.jobs to authenticated;
